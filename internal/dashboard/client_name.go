package dashboard

import (
	"cmp"
	"strings"
)

// userAgentMark is the name of a browser or system, and a text that identifies it in a User-Agent
// header.
type userAgentMark struct{ text, name string }

// browserMarks are the texts that identify browsers. The first one that a User-Agent contains
// decides. The order matters: the User-Agent of Edge, for example, also contains the text of
// Chrome.
var browserMarks = []userAgentMark{
	{"Edg/", "Edge"},
	{"OPR/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"Firefox/", "Firefox"},
	{"FxiOS/", "Firefox"},
	{"CriOS/", "Chrome"},
	{"HeadlessChrome/", "Chrome without a window"},
	{"Chrome/", "Chrome"},
	{"Version/", "Safari"},
}

// systemMarks are the texts that identify operating systems. The first one that a User-Agent
// contains decides.
var systemMarks = []userAgentMark{
	{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
}

// clientName returns a readable name of the client with this User-Agent, such as "Firefox 128 on
// Linux". For a client that is neither a browser nor foretell, it is the first product in the
// User-Agent.
func clientName(userAgent string) string {
	product, _, _ := strings.Cut(userAgent, " ")
	if version, found := strings.CutPrefix(product, "foretell/"); found {
		return "foretell " + version + ", command line"
	}
	for _, browser := range browserMarks {
		_, after, found := strings.Cut(userAgent, browser.text)
		if !found {
			continue
		}
		name := browser.name
		if version, _, _ := strings.Cut(after, "."); version != "" && len(version) <= 4 {
			name += " " + version
		}
		for _, system := range systemMarks {
			if strings.Contains(userAgent, system.text) {
				return name + " on " + system.name
			}
		}
		return name
	}
	return cmp.Or(strings.Replace(product, "/", " ", 1), "unknown")
}

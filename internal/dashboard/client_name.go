package dashboard

import (
	"cmp"
	"strings"
)

// A mark is a text, and the name of the clients whose User-Agent header contains this text.
type mark struct{ text, name string }

// browserMarks are the marks of browsers. The User-Agent of a browser also contains marks of
// other browsers, so the marks are in order of precedence: the first mark that the User-Agent
// contains determines the name.
var browserMarks = []mark{
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

// systemMarks are the marks of operating systems. The first mark that the User-Agent contains
// determines the name.
var systemMarks = []mark{
	{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
}

// clientName returns the name, for people, of the client with this User-Agent. The name of a client
// that is neither a browser nor foretell is the first product in the User-Agent.
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

package term

import "strings"

// Histogram draws counts as bars in at most width characters. If there are more counts
// than characters, neighbours share a bar. A bar of 0 is blank; any other bar is visible.
func (c *Console) Histogram(counts []int, width int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if !c.Unicode {
		levels = []rune(".:-=+*#@")
	}
	bars := make([]int, min(len(counts), max(width, 1)))
	most := 0
	for i, n := range counts {
		at := i * len(bars) / len(counts)
		bars[at] += n
		most = max(most, bars[at])
	}
	var b strings.Builder
	for _, n := range bars {
		if n <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(levels[min(n*len(levels)/most, len(levels)-1)])
	}
	return b.String()
}

// supportsUnicode reports whether the locale is UTF-8. If no locale is set, it returns true.
// For a dumb terminal it returns false.
func supportsUnicode(env func(string) string) bool {
	if env("TERM") == "dumb" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

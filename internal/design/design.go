// Package design is the design system of the pages and of reports as HTML: one stylesheet,
// the typefaces, the templates of repeated parts, and the geometry of pictures. Pictures are
// drawn on the server as SVG, so they need no script and can be printed.
package design

import (
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// files holds the assets, such as the stylesheet and the typefaces, and the templates.
//
//go:embed assets templates
var files embed.FS

// Asset returns an embedded file, such as the stylesheet foretell.css. An unknown name is an
// error.
func Asset(name string) ([]byte, error) { return files.ReadFile("assets/" + name) }

// AssetNames lists the embedded files.
func AssetNames() []string {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // it is embedded
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// InlineStylesheet returns the stylesheet with the typefaces as data URLs, for a file that
// is read without the service.
func InlineStylesheet() template.CSS {
	text, err := Asset("foretell.css")
	if err != nil {
		panic(err) // it is embedded
	}
	style := string(text)
	for _, font := range []string{"plex-sans.woff2", "plex-mono.woff2"} {
		data, err := Asset(font)
		if err != nil {
			panic(err) // it is embedded
		}
		style = strings.Replace(style, `url("`+font+`")`, "url(data:font/woff2;base64,"+base64.StdEncoding.EncodeToString(data)+")", 1)
	}
	return template.CSS(style)
}

// Templates returns the templates of repeated parts, such as "plot". They call now for the current
// time in texts such as "3 days ago".
func Templates(now func() time.Time) *template.Template {
	return template.Must(template.New("").Funcs(templateFuncs(now)).ParseFS(files, "templates/*.html"))
}

func templateFuncs(now func() time.Time) template.FuncMap {
	return template.FuncMap{
		"comma": func(n any) (string, error) { return formatCount(n, humanize.Comma) },
		"count": func(n any, noun string) (string, error) {
			return formatCount(n, func(n int64) string { return humanize.Count(n, noun) })
		},
		"bytes":     term.FormatBytes,
		"quote":     term.ShellQuote,
		"sentence":  humanize.Sentence,
		"score":     func(value any) string { return WithMinusSign(FormatScore(value)) },
		"threshold": formatThreshold,
		"perfname":  api.PerformanceName,
		"number":    func(v float64) string { return WithMinusSign(formatNumber(v)) },
		"value":     formatValue,
		"title":     AlgorithmTitle,
		"kind":      api.AlgorithmKind,
		"flags":     splitFlags,
		"words":     func(text string) []string { return strings.Split(text, " ") },
		"outcome":   api.FormatOutcome,
		"tone":      toneClass,
		"short":     api.ShortKey,
		"datetime":  formatDatetime,
		"ago":       func(timestamp string) string { return formatRelativeTime(timestamp, now()) },
		"now":       func() string { return api.FormatTime(now()) },
		"took":      formatTimeBetween,
		"charts":    func() bool { return false }, // whether plots include the numbers for a script
		"list":      func(items ...any) []any { return items },
		"interval2": FormatInterval,
		"interval4": func(i *api.Interval) string { return strings.ReplaceAll(i.Format(4), "-", minusSign) },
		"interval": func(all map[string]api.Interval, name string) string {
			if i, known := all[name]; known {
				return i.String()
			}
			return ""
		},
	}
}

// formatCount formats an int or int64 with a function, because templates do not convert an int to
// an int64.
func formatCount(n any, format func(int64) string) (string, error) {
	switch n := n.(type) {
	case int:
		return format(int64(n)), nil
	case int64:
		return format(n), nil
	}
	return "", fmt.Errorf("%T is not a count", n)
}

// FormatScore formats a score with four decimals. The type of the score is float64, *float64 or
// api.Decimal. A missing score, which is nil or NaN, is a dash.
func FormatScore(value any) string {
	number := math.NaN()
	switch v := value.(type) {
	case float64:
		number = v
	case *float64:
		if v != nil {
			number = *v
		}
	case api.Decimal:
		number = v.Value
	}
	if math.IsNaN(number) {
		return "–"
	}
	text := strconv.FormatFloat(number, 'f', 4, 64) // as on the command line
	if text == "-0.0000" {
		return text[1:]
	}
	return text
}

// formatThreshold formats a probability with six significant digits, for a threshold. It rounds
// down, so that a row with this probability reaches the threshold.
func formatThreshold(p float64) string {
	text := strconv.FormatFloat(p, 'g', 6, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err != nil || rounded <= p {
		return text
	}
	unit := math.Pow(10, math.Floor(math.Log10(p))-5) // of the last digit
	return strconv.FormatFloat(p-unit/2, 'g', 6, 64)
}

// minusSign is the sign of negative numbers on pages. Unlike a hyphen, it is as wide as a digit.
const minusSign = "−"

// WithMinusSign returns a formatted number with its leading hyphen replaced by a minus sign.
func WithMinusSign(number string) string {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		return minusSign + rest
	}
	return number
}

// FormatShare formats a part of a whole in percent, with one decimal.
func FormatShare(part, whole int64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// FormatInterval formats an interval. It returns "" if low or high is nil.
func FormatInterval(low, high *float64) string {
	if low == nil || high == nil {
		return ""
	}
	return (&api.Interval{Low: *low, High: *high}).String()
}

// formatNumber formats a number with at most six significant digits. A number with 7 to 15 digits
// before the decimal point is instead rounded to a whole number, without an exponent.
func formatNumber(v float64) string {
	if size := math.Abs(v); size >= 1e6 && size < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// formatValue formats a number from the distribution of a column. kind is the kind of the column, such
// as date. Dates are in days since 1 January 1970, and times in hours.
func formatValue(kind string, v float64) string {
	switch kind {
	case "date":
		return FormatDate(math.Floor(v))
	case "time":
		minutes := min(int(math.Round(60*v)), 24*60-1) // 23:59:45 is not rounded to 24:00
		return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	return WithMinusSign(formatNumber(v))
}

// FormatDate formats a date that is given in days since 1 January 1970. It adds the time of day if
// the number of days is not whole.
func FormatDate(days float64) string {
	const minutesPerDay = 24 * 60
	moment := time.Unix(int64(math.Round(days*minutesPerDay))*60, 0).UTC()
	if days == math.Floor(days) {
		return moment.Format(time.DateOnly)
	}
	return moment.Format("2006-01-02 15:04")
}

// toneClass returns the CSS class that colours a status, an outcome or a state.
func toneClass(status string) string {
	switch status {
	case api.DatasetCompleted, api.OutcomeReached, api.OutcomeDone, api.AccountActive, api.RequestApproved:
		return "good"
	case api.DatasetFailed, api.OutcomeFailed, api.AccountDisabled, api.RequestRefused, api.PredictionTimeout, "refused":
		return "bad"
	case api.OutcomeBelow, api.OutcomeTimeLimit, api.OutcomeInterrupted, api.TrainingNotCompleted, api.TrainingTimedOut:
		return "warn"
	case api.DatasetProcessing, api.TrainingRunning, api.OutcomeRunning:
		return "busy"
	}
	return "calm"
}

// formatDatetime returns a timestamp rounded down to seconds, for the attribute datetime, because
// HTML does not allow microseconds there.
func formatDatetime(timestamp string) string {
	at, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return timestamp
	}
	return at.UTC().Format(api.TimeLayout)
}

// formatRelativeTime returns a timestamp relative to now, such as "3 days ago".
func formatRelativeTime(timestamp string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return timestamp
	}
	return term.FormatRelativeTime(at, now)
}

// splitFlags splits a text of flags into single flags with their values: "--seed 1 --threshold 0.9"
// becomes "--seed 1" and "--threshold 0.9". A page then breaks lines only between flags.
func splitFlags(text string) []string {
	flags := strings.SplitAfter(text, " --")
	for i := range flags {
		flags[i] = strings.TrimSuffix(flags[i], " --")
		if i > 0 {
			flags[i] = "--" + flags[i]
		}
	}
	return flags
}

// AlgorithmTitle returns the code of an algorithm and its kind, such as "BFIF01 forest". For a
// blend it returns "BLEND of algorithms".
func AlgorithmTitle(code string) string {
	if code == "BLEND" {
		return "BLEND of algorithms"
	}
	return api.AlgorithmTitle(code)
}

// formatTimeBetween returns the time between two timestamps. It is empty if one is missing.
func formatTimeBetween(began, ended string) string {
	from, errFrom := time.Parse(api.TimeLayout, began)
	to, errTo := time.Parse(api.TimeLayout, ended)
	if errFrom != nil || errTo != nil {
		return ""
	}
	if to.Sub(from) < time.Second { // the timestamps are whole seconds
		return "less than 1 s"
	}
	return term.FormatDuration(to.Sub(from))
}

package dashboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// parseTemplates returns the template of each page by its name. A page's file defines
// "content"; the files in the folder shared are part of every page.
func parseTemplates(now func() time.Time) map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(templateFuncs(now)).ParseFS(files, "templates/shared/*.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is constant
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(template.Must(shared.Clone()).ParseFS(files, name))
	}
	return pages
}

// templateFuncs returns the functions of the templates. now is the clock for the ages of
// things.
func templateFuncs(now func() time.Time) template.FuncMap {
	return template.FuncMap{
		"asset":   assetPath,
		"comma":   func(n int64) string { return humanize.Comma(n) },
		"count":   func(n int64, noun string) string { return humanize.Count(n, noun) },
		"bytes":   term.FormatBytes,
		"quote":   term.ShellQuote,
		"score":   formatScore,
		"percent": formatPercent,
		"number":  formatNumber,
		"title":   api.AlgorithmTitle,
		"outcome": api.FormatOutcome,
		"tone":    toneOf,
		"short":   shortKey,
		"ago":     func(timestamp string) string { return formatAge(timestamp, now()) },
		"took":    formatTook,
		"list":    func(items ...any) []any { return items },
		"add":     func(a, b int) int { return a + b },
		"lower":   strings.ToLower,
	}
}

// formatScore formats a score with four decimals. value is a float64, a *float64 or an
// api.Decimal. A missing score is a dash.
func formatScore(value any) string {
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
	return strconv.FormatFloat(number, 'f', 4, 64)
}

// formatPercent formats a share of a whole with one decimal.
func formatPercent(part, whole int64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// toneOf returns the CSS class that colours a status, an outcome or a state.
func toneOf(status string) string {
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

// shortKey returns the first part of a key, which is a reference on the command line.
func shortKey(key string) string {
	first, _, _ := strings.Cut(key, "-")
	return first
}

// formatAge returns how long ago a timestamp was.
func formatAge(timestamp string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return timestamp
	}
	return term.FormatAgo(at, now)
}

// formatTook returns the time between two timestamps. It is empty if one is missing.
func formatTook(began, ended string) string {
	from, errFrom := time.Parse(api.TimeLayout, began)
	to, errTo := time.Parse(api.TimeLayout, ended)
	if errFrom != nil || errTo != nil {
		return ""
	}
	return term.FormatDuration(to.Sub(from))
}

// assetVersion is part of the paths of assets, so that browsers may cache them forever.
var assetVersion = hashAssets()

func hashAssets() string {
	sum := sha256.New()
	err := fs.WalkDir(files, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		_, _ = sum.Write(content) // a hash never fails
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

func assetPath(name string) string { return "/assets/" + assetVersion + "/" + name }

// handleAsset responds with an embedded file. Its path has the version of the files, so the
// browser needs to load it only once.
func (p *Pages) handleAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, err := files.ReadFile("assets/" + path.Base(name))
	if err != nil || r.PathValue("version") != assetVersion {
		p.NotFound(w, r)
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".woff2" {
		kind = "font/woff2" // not every system knows it
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// respondUnchanged responds with 304 and returns true if the browser already has this part
// of a page.
func respondUnchanged(v *visit, body []byte) bool {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	v.w.Header().Set("ETag", etag)
	if v.r.Header.Get("If-None-Match") != etag {
		return false
	}
	v.w.WriteHeader(http.StatusNotModified)
	return true
}

// formatNumber formats a number of a column with at most six significant digits.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"foretell/internal/humanize"
)

// Report holds the results of all requirements on one model, or on the predictions in a file.
type Report struct {
	// Model is the model's key. It is "" for predictions.
	Model string
	// Predictions is the path of the file with the predictions. It is "" for a model.
	Predictions string
	Results     []Result
	// At is when the model was evaluated.
	At time.Time
}

// NumMissed returns the number of missed requirements. It is 0 if r is nil.
func (r *Report) NumMissed() int {
	if r == nil {
		return 0
	}
	n := 0
	for _, v := range r.Results {
		if !v.Holds {
			n++
		}
	}
	return n
}

// Summary returns a sentence that says how many requirements hold or were missed.
func (r *Report) Summary() string {
	missed, all := r.NumMissed(), len(r.Results)
	switch {
	case missed == 0 && all == 1:
		return "the requirement holds"
	case missed == 0:
		return fmt.Sprintf("all %d requirements hold", all)
	case all == 1:
		return "the requirement was missed"
	}
	verb := "were"
	if missed == 1 {
		verb = "was"
	}
	return fmt.Sprintf("%d of %d requirements %s missed", missed, all, verb)
}

// FormatValue formats the model's value. It returns "" if the value is unknown.
func (r *Result) FormatValue() string {
	switch {
	case r.Value == nil:
		return ""
	case r.Baseline != nil:
		return formatDistinctly(*r.Value, *r.Baseline)
	}
	return formatDistinctly(*r.Value, 0)
}

// FormatRows formats the number of test rows. It returns "" if the requirement was skipped.
func (r *Result) FormatRows() string {
	if r.Skipped {
		return ""
	}
	return fmt.Sprint(r.Rows)
}

// formatLine formats the result as one line of text.
func (r *Result) formatLine() string {
	if r.Value == nil {
		return r.Requirement + ": " + r.Reason
	}
	measured := r.FormatValue()
	if r.Interval != nil {
		measured += " (" + r.Interval.String() + ")"
	}
	return fmt.Sprintf("%s: %s on %s, %s", r.Requirement, measured, humanize.Count(r.Rows, "row"), r.Reason)
}

// WriteGitHub writes annotations for GitHub Actions: an error for each missed requirement and,
// unless quiet is true, a notice for each skipped requirement. If no requirement was missed, and
// quiet is false, it also writes a notice with the summary.
func (r *Report) WriteGitHub(w io.Writer, quiet bool) error {
	var b strings.Builder
	for _, v := range r.Results {
		switch {
		case !v.Holds:
			fmt.Fprintf(&b, "::error title=%s::%s\n", escapeProperty("foretell: "+v.Requirement), escapeData(v.formatLine()))
		case v.Skipped && !quiet:
			fmt.Fprintf(&b, "::notice title=%s::%s\n", escapeProperty("foretell: "+v.Requirement), escapeData(v.formatLine()))
		}
	}
	if r.NumMissed() == 0 && !quiet {
		fmt.Fprintf(&b, "::notice title=foretell::%s\n", escapeData(r.Summary()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escapeData escapes the message of a workflow command of GitHub.
func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// escapeProperty escapes the value of a property of a workflow command.
func escapeProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(text))
}

// WriteMarkdown writes the results as a section of a job summary of GitHub.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	subject := "Model `" + r.Model + "`, scored on test rows"
	if r.Model == "" {
		subject = "Predictions " + escapeCell(r.Predictions) + ", scored on labelled rows"
	}
	fmt.Fprintf(&b, "### Foretell: %s\n\n%s\n\n", r.Summary(), subject)
	b.WriteString("| | requirement | measured | 95 % interval | rows | |\n|---|---|---:|---|---:|---|\n")
	for _, v := range r.Results {
		mark := "✅"
		switch {
		case !v.Holds:
			mark = "❌"
		case v.Skipped:
			mark = "➖"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", mark, escapeCell(v.Requirement), v.FormatValue(), v.Interval, v.FormatRows(), escapeCell(v.Reason))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// escapeCell escapes a cell of a Markdown table.
func escapeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "`", "\\`").Replace(text)
}

// WriteGitLab writes the output of writeContent as a collapsible section of GitLab's log.
func (r *Report) WriteGitLab(w io.Writer, writeContent func(io.Writer) error) error {
	const name = "foretell_requirements"
	if _, err := fmt.Fprintf(w, "\x1b[0Ksection_start:%d:%s\r\x1b[0KForetell: %s\n", r.At.Unix(), name, r.Summary()); err != nil {
		return err
	}
	if err := writeContent(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", r.At.Unix(), name)
	return err
}

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitNote `xml:"failure"`
	Skipped *junitNote `xml:"skipped"`
	Output  string     `xml:"system-out,omitempty"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// junitClass is the class of all test cases. It is the same in every run, because servers for CI
// recognise a test case by its class and name, and show its history.
const junitClass = "foretell.requirements"

// WriteJUnit writes the results as JUnit XML, one test case per requirement.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: "foretell", Tests: len(r.Results), Failures: r.NumMissed(), Time: "0", Timestamp: r.At.UTC().Format("2006-01-02T15:04:05")}
	for _, v := range r.Results {
		c := junitCase{Name: v.Requirement, Class: junitClass, Time: "0", Output: v.formatLine()}
		switch {
		case v.Skipped:
			s.Skipped++
			c.Skipped, c.Output = &junitNote{Message: v.Reason}, ""
		case !v.Holds:
			c.Failure, c.Output = &junitNote{Message: v.formatLine(), Type: "requirement", Text: v.formatLine()}, ""
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Tests: s.Tests, Failures: s.Failures, Skipped: s.Skipped, Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

func TestSimilarClasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		classes []string
		similar bool
	}{
		"case":                 {[]string{"Yes", "yes"}, true},
		"spaces":               {[]string{"yes", "yes "}, true},
		"forms_of_a_number":    {[]string{"1", "1.0"}, true},
		"long_numbers":         {[]string{"9007199254740992", "9007199254740993"}, false},
		"negative_zero":        {[]string{"0", "-0"}, true},
		"composed_characters":  {[]string{"caf\u00e9", "cafe\u0301"}, true},
		"zero_width":           {[]string{"yes", "yes\u200b"}, true},
		"decimal_comma":        {[]string{"1", "\"1,0\""}, true},
		"thousands":            {[]string{"1", "\"1,000\""}, false},
		"point_at_the_end":     {[]string{"<=50K", "<=50K."}, true},
		"points":               {[]string{".", ".."}, false},
		"different_characters": {[]string{"caf\u00e9", "cafe"}, false},
	} {
		var text strings.Builder
		text.WriteString("id,x,label\n")
		for i := range 60 {
			fmt.Fprintf(&text, "r%d,%d,%s\n", i, i, c.classes[i%2])
		}
		p := scanText(t, text.String(), profile.ScanOptions{})
		similar := slices.ContainsFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeSimilarClasses })
		if similar != c.similar {
			t.Errorf("%s: similar is %v, want %v: %+v", name, similar, c.similar, p.Warnings)
		}
	}
}

// TestLabelsThatAreNumbers expects a warning about many different numbers, also with a currency or
// separators of thousands, but not about other texts.
func TestLabelsThatAreNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format  string // of an integer
		classes int
		warns   bool
	}{
		"integers":       {"%d", 28, true},
		"few_integers":   {"%d", 20, false},
		"prices":         {"$%d.99 ", 78, true},
		"thousands":      {`"-%d,027,000"`, 108, true},
		"few_prices":     {"$%d.99 ", 20, false},
		"codes":          {"A%d", 78, false},
		"numbered_names": {"class %d", 78, false},
	} {
		var text strings.Builder
		text.WriteString("id,x,label\n")
		for i := range 10 * c.classes {
			fmt.Fprintf(&text, "r%d,%d,"+c.format+"\n", i, i*i%37, 1+i%c.classes)
		}
		p := scanText(t, text.String(), profile.ScanOptions{})
		warns := slices.ContainsFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeManyClasses })
		if warns != c.warns || len(p.Schema.Classes) != c.classes {
			t.Errorf("%s: warns is %v, want %v; %d classes", name, warns, c.warns, len(p.Schema.Classes))
		}
	}
	var prices strings.Builder
	prices.WriteString("id,x,label\n")
	for i := range 200 {
		fmt.Fprintf(&prices, "r%d,%d,$%d\n", i, i*i%37, 1000+i)
	}
	p := scanText(t, prices.String(), profile.ScanOptions{})
	isRejected := func(p *profile.Profile) bool {
		return slices.ContainsFunc(p.Defects, func(d csvfile.Defect) bool { return d.Code == csvfile.CodeNumericLabel })
	}
	if !isRejected(p) {
		t.Errorf("no defect of a label of amounts: %+v", p.Defects)
	}
	// Each value is in two or three rows, which are too few for 60 classes of measurements. 226.50 is
	// probably a code: a program that writes numbers writes 226.5.
	for format, want := range map[string]bool{"%d.0": true, "%d.5": true, "%d.50": true, "$%d.%[1]d0": true, "%d": false, "A%d.5": false, "%d.%[2]d": false} {
		var text strings.Builder
		text.WriteString("id,x,label\n")
		for i := range 150 {
			fmt.Fprintf(&text, "r%d,%d,%s\n", i, i*i%37, strings.Split(fmt.Sprintf(format+"|", i%60, 10+i%60), "|")[0])
		}
		if p := scanText(t, text.String(), profile.ScanOptions{}); isRejected(p) != want {
			t.Errorf("%s: %+v", format, p.Defects)
		}
	}
}

func TestWarningsAboutClassNames(t *testing.T) {
	for _, c := range []struct {
		labels []string
		want   []string
	}{
		{[]string{"yes", "no", "NA"}, []string{`the label "NA" (30 rows) is not read as a missing label, but as a class of its own`}},
		{[]string{"yes", "no", "Unknown"}, []string{`the label "Unknown" (30 rows) is not read as a missing label, but as a class of its own`}},
		{[]string{"known", "unknown"}, nil},
		{[]string{"x", "NA"}, []string{`the label "NA" (30 rows) is not read as a missing label, but as a class of its own`}},
		{[]string{"N/A", "x"}, []string{`the label "N/A" (30 rows) is not read as a missing label, but as a class of its own`}},
		{[]string{"None", "x"}, nil},
		{[]string{"x", "-"}, nil},
		{[]string{"yes", "no", "?"}, []string{`the label "?" (30 rows) is not read as a missing label, but as a class of its own`}},
		{[]string{"none", "mild", "severe"}, nil},
		{[]string{"+", "-"}, nil},
		{[]string{"+", "-", "0"}, nil},
		{[]string{"ja", "nein", "-"}, []string{`the label "-" (30 rows) is not read as a missing label, but as a class of its own`}},
		{[]string{" yes", " no"}, []string{`the class " no" has spaces around its name, which are part of the name`}},
		{[]string{"Yes", "YES", "no", "yes"}, []string{`the classes "YES", "Yes" and "yes" differ in spelling only`}},
		{[]string{"true", "1", "Y", "false", "0"}, []string{`the classes "0" and "false" differ in spelling only`, `the classes "1", "Y" and "true" differ in spelling only`}},
		{[]string{"1", "0", "no", "maybe"}, nil},
		{[]string{"T", "N"}, nil},
		{[]string{" yes", "yes"}, []string{`the classes " yes" and "yes" differ in spelling only`}},
	} {
		file := "id,size,label\n"
		for i := range 30 * len(c.labels) {
			file += fmt.Sprintf("%d,%d,%s\n", i, i*7919%1009, c.labels[i%len(c.labels)])
		}
		var got []string
		for _, w := range scanText(t, file, profile.ScanOptions{}).Warnings {
			if w.Name == "label" {
				got = append(got, w.Message)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.labels, d)
		}
	}
}

func TestLabelsThatMeanMissing(t *testing.T) {
	t.Parallel()
	for label, warns := range map[string]bool{
		"NA": true, `\N`: true, "#NV": true, "#NULL!": true, "(null)": true, "(NULL)": true, "NaT": true, "—": true, // an em dash
		"nat": false, `\n`: false, "–": false, "none": false, "-": true,
	} {
		var text strings.Builder
		text.WriteString("id,x,label\n")
		for i := range 90 {
			fmt.Fprintf(&text, "r%d,%d,%s\n", i, i, []string{"yes", "no", label}[i%3])
		}
		p := scanText(t, text.String(), profile.ScanOptions{})
		got := slices.ContainsFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeMissingClass })
		if got != warns {
			t.Errorf("%s: warned is %v, want %v: %+v", label, got, warns, p.Warnings)
		}
	}
}

// TestSingletons checks the warning about rows that are the only row of their class.
func TestSingletons(t *testing.T) {
	for _, c := range []struct {
		rows, singletons int
		want             string
	}{
		{98, 2, "2 of 100 rows are the only row of their class, so they cannot be scored, and the scores will be too high"},
		{99, 1, ""}, // one new class in a hundred rows is no pattern
		{998, 2, ""},
	} {
		file := "id,size,label\n"
		for i := range c.rows + c.singletons {
			label := fmt.Sprint("class-", i%2)
			if i >= c.rows {
				label = fmt.Sprint("rare-", i)
			}
			file += fmt.Sprintf("%d,%d,%s\n", i, i*7919%1009, label)
		}
		got := ""
		for _, w := range scanText(t, file, profile.ScanOptions{}).Warnings {
			if strings.Contains(w.Message, "only row of their class") {
				got = w.Message
			}
		}
		if got != c.want {
			t.Errorf("%d of %d rows: the warning is %q, want %q", c.singletons, c.rows+c.singletons, got, c.want)
		}
	}
}

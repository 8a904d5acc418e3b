package rowsample_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// leaky returns a file with the given number of rows whose columns predict the label with
// different accuracies.
func leaky(rows int) string {
	var b strings.Builder
	b.WriteString("id,noise,score,closed,code,half,label\n")
	for i := range rows {
		noise := cells.Mix64(uint64(i)) % 1000
		yes := cells.Mix64(uint64(i)+7)%3 == 0
		score, closed, code, half, label := noise%500, "", "n", "x", "no"
		if yes {
			score, closed, code, label = 500+noise%500, fmt.Sprintf("2026-01-%02d", 1+i%28), "y", "yes"
		}
		if yes && i%2 == 0 {
			half = "z"
		}
		fmt.Fprintf(&b, "r%d,%d,%d.5,%s,%s%d,%s,%s\n", i, noise, score, closed, code, i%3, half, label)
	}
	return b.String()
}

func TestLeakingColumns(t *testing.T) {
	for _, rows := range []int{400, 40_000} { // the sample has all rows, or a part of them
		p := scanText(t, leaky(rows), profile.ScanOptions{})
		if err := p.Err(); err != nil {
			t.Fatal(err)
		}
		var leaks []string
		for _, w := range p.Warnings {
			if w.Code == csvfile.CodeLeakingColumn {
				leaks = append(leaks, w.Name)
			}
		}
		if d := cmp.Diff([]string{"score", "closed", "code"}, leaks); d != "" {
			t.Errorf("%d rows: %s", rows, d)
		}
		noise, half := p.Columns[0].LabelAccuracy, p.Columns[4].LabelAccuracy
		if noise > 0.72 || half < 0.75 || half > 0.9 {
			t.Errorf("%d rows: noise predicts %v, half %v", rows, noise, half)
		}
		if m := p.Columns[0].Numbers.Median; math.Abs(m-500) > 60 {
			t.Errorf("%d rows: the median is %v", rows, m)
		}
	}
	t.Run("few_rows_may_miss_the_boundary", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("id,near,noise,label\n")
		for i := range 100 {
			tenth := (i*37 + i/7) % 41
			fmt.Fprintf(&b, "r%d,%d.%d,%d,%v\n", i, 1+tenth/10, tenth%10, i*i%97, tenth > 19)
		}
		var leaks []string
		for _, w := range scanText(t, b.String(), profile.ScanOptions{}).Warnings {
			if w.Code == csvfile.CodeLeakingColumn {
				leaks = append(leaks, w.Name)
			}
		}
		if d := cmp.Diff([]string{"near"}, leaks); d != "" {
			t.Error(d)
		}
	})
	t.Run("amounts_dates_and_codes", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("id,percent,euro,day,clock,code,noise,label\n")
		for i := range 300 {
			n := (i*37 + i/7) % 150
			month := 1 + n/28
			letters := "OFF"
			if n > 83 {
				letters = "TEC"
			}
			fmt.Fprintf(&b, "r%d,%d.%d%%,\"%d,%d\",%d/%d/2024,%02d:%02d,%s-%d,%d %%,%v\n", i, n/7, n%7, n/7, n%7, month, 1+n%28, n/7, n%7*8, letters, 10_000+i, i*i%97, n > 83)
		}
		var leaks []string
		p := scanText(t, b.String(), profile.ScanOptions{})
		for _, w := range p.Warnings {
			if w.Code == csvfile.CodeLeakingColumn {
				leaks = append(leaks, w.Message)
			}
		}
		if d := cmp.Diff([]string{"5 columns alone predict nearly every label: are the columns known before the label is? (percent, euro, day, …)"}, leaks); d != "" {
			t.Error(d, p.Columns)
		}
	})
	t.Run("copies_of_a_row_tell_nothing", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("id,noise,more,label\n")
		for i := range 1200 {
			original := uint64(i % 150)
			fmt.Fprintf(&b, "r%d,%d,%d,%d\n", i, cells.Mix64(original)%100_000, original%7, cells.Mix64(original+7)%2)
		}
		p := scanText(t, b.String(), profile.ScanOptions{})
		if accuracy := p.Columns[0].LabelAccuracy; accuracy > 0.7 {
			t.Errorf("noise predicts %v", accuracy)
		}
	})
	t.Run("many_copies_of_a_row_may_leak", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("id,leak,more,other,label\n")
		for i := range 2000 {
			if i%10 < 7 {
				fmt.Fprintf(&b, "r%d,0,0,0,no\n", i)
			} else {
				fmt.Fprintf(&b, "r%d,1,%d,%d,yes\n", i, i, i*i%97)
			}
		}
		if accuracy := scanText(t, b.String(), profile.ScanOptions{}).Columns[0].LabelAccuracy; accuracy != 1 {
			t.Errorf("leak predicts %v", accuracy)
		}
	})
	t.Run("few_different_rows_may_leak", func(t *testing.T) {
		p := scanText(t, "id,a,b,label\n"+strings.Repeat("r,x,1,no\nr,y,2,yes\nr,y,1,yes\n", 40), profile.ScanOptions{GeneratedID: true})
		if accuracy := p.Columns[0].LabelAccuracy; accuracy != 1 {
			t.Errorf("a predicts %v", accuracy)
		}
	})
	t.Run("too_few_rows_tell_nothing", func(t *testing.T) {
		p := scanText(t, leaky(30), profile.ScanOptions{})
		for i := range p.Columns {
			if p.Columns[i].LabelAccuracy != 0 {
				t.Errorf("%s predicts %v", p.Columns[i].Name, p.Columns[i].LabelAccuracy)
			}
		}
	})
}

func scanText(t *testing.T, file string, opts profile.ScanOptions) *profile.Profile {
	t.Helper()
	p, err := profile.Scan(t.Context(), strings.NewReader(file), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLeaksWithoutLabels expects that rows without a label do not count.
func TestLeaksWithoutLabels(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,leak,label\n")
	for i := range 400 {
		label := ""
		if i%4 > 0 {
			label = []string{"", "no", "no", "yes"}[i%4]
		}
		fmt.Fprintf(&b, "r%d,%d,%s\n", i, i%4, label)
	}
	p := scanText(t, b.String(), profile.ScanOptions{})
	const want = `the column alone predicts 100 % of the labels (always predicting "no": 67 %): is the column known before the label is?`
	if len(p.Warnings) != 1 || p.Warnings[0].Message != want {
		t.Errorf("%v", p.Warnings)
	}
}

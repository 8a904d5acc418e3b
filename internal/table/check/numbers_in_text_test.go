package check_test

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// warningsOf returns the messages of the warnings with a code about a column x with the given cells.
func warningsOf(t *testing.T, code string, cells []string) string {
	t.Helper()
	var list []string
	for _, w := range scanText(t, tabletest.Column(quoted(cells)...), profile.ScanOptions{}).Warnings {
		if w.Code == code {
			list = append(list, w.Message)
		}
	}
	return strings.Join(list, "; ")
}

// TestNumbersInText scans columns of texts that are made of numbers, and columns of codes, names and
// other texts with digits.
func TestNumbersInText(t *testing.T) {
	t.Parallel()
	random := func(i, n int) int { return i * 7919 % 10007 % n }
	for name, c := range map[string]struct {
		cell func(i int) string
		want bool
	}{
		"blood_pressure":  {func(i int) string { return fmt.Sprintf("%d/%d", 100+random(i, 60), 60+random(i, 35)) }, true},
		"detection_limit": {func(i int) string { return []string{"<", "", ""}[i%3] + fmt.Sprintf("%d.5", random(i, 90)) }, true},
		"coordinates":     {func(i int) string { return fmt.Sprintf("N 51° %02d' %02d\"", random(i, 60), random(i+5, 60)) }, true},
		"intervals": {func(i int) string {
			return fmt.Sprintf("%d.5 (%d.0-%d.9)", random(i, 90), random(i, 90), random(i, 90))
		}, true},
		"ranges":     {func(i int) string { return fmt.Sprintf("%d-%d", 20+random(i, 90), 25+random(i, 90)) }, true},
		"dimensions": {func(i int) string { return fmt.Sprintf("%dx%d cm", 20+random(i, 90), 20+random(i+3, 90)) }, true},
		"heights":    {func(i int) string { return fmt.Sprintf("%d'%d\"", 4+i%3, random(i, 12)) }, true},
		"minutes":    {func(i int) string { return fmt.Sprintf("%d:%02d", 15+random(i, 40), random(i+3, 60)) }, true},
		"labelled":   {func(i int) string { return fmt.Sprintf("Score: %d.5", random(i, 90)) }, true},

		"spaces":    {func(i int) string { return fmt.Sprintf("%d %03d,%02d", 1+random(i, 90), random(i, 999), i%90) }, true},
		"euros":     {func(i int) string { return fmt.Sprintf("%d %03d,%02d €", 1+random(i, 90), random(i, 999), i%90) }, true},
		"koruny":    {func(i int) string { return fmt.Sprintf("%d %03d Kč", 1+random(i, 90), random(i, 999)) }, true},
		"reais":     {func(i int) string { return fmt.Sprintf("R$ %d %03d,%02d", 1+random(i, 90), random(i, 999), i%90) }, true},
		"positions": {func(i int) string { return fmt.Sprintf("%d.5, -%d.25", 40+random(i, 9), random(i, 90)) }, true},
		"points":    {func(i int) string { return fmt.Sprintf("POINT(%d.5 -%d.25)", 40+random(i, 9), random(i, 90)) }, true},
		"weeks":     {func(i int) string { return fmt.Sprintf("%d-W%02d", 2019+random(i, 5), 1+random(i, 52)) }, true},
		"quarters":  {func(i int) string { return fmt.Sprintf("%d-Q%d", 1990+random(i, 30), 1+i%4) }, true},
		"some_spaces": {func(i int) string {
			if i%4 == 0 {
				return fmt.Sprintf("%d %03d", 1+random(i, 90), random(i, 999))
			}
			return fmt.Sprint(random(i, 999))
		}, true},
		"kroner":          {func(i int) string { return fmt.Sprintf("%d,-", 5+random(i, 900)) }, true},
		"apostrophes":     {func(i int) string { return fmt.Sprintf("'%d", 5+random(i, 900)) }, true},
		"single_quotes":   {func(i int) string { return fmt.Sprintf("'%d.5'", random(i, 90)) }, true},
		"formulas":        {func(i int) string { return fmt.Sprintf("=\"%d.5\"", random(i, 90)) }, true},
		"padded_formulas": {func(i int) string { return fmt.Sprintf("=\"%04d\"", random(i, 900)) }, false},
		"full_width": {func(i int) string {
			return string([]rune{'１' + rune(i%9), '０' + rune(random(i, 10)), '０' + rune(i%7)})
		}, true},
		"arabic": {func(i int) string {
			return string([]rune{'١' + rune(i%9), '٠' + rune(random(i, 10)), '٠' + rune(i%7)})
		}, true},

		"times_of_day":    {func(i int) string { return fmt.Sprintf("%d:%02d", random(i, 24), random(i+3, 60)) }, false},
		"verses":          {func(i int) string { return fmt.Sprintf("%d:%d", 1+random(i, 40), 1+random(i+3, 30)) }, false},
		"aspect_ratios":   {func(i int) string { return fmt.Sprintf("%d:%d", 1+random(i, 40), 1+random(i+3, 9)) }, false},
		"local_phones":    {func(i int) string { return fmt.Sprintf("555 %03d", random(i, 999)) }, false},
		"rooms_of_floors": {func(i int) string { return fmt.Sprintf("Room %d %03d", 1+random(i, 90), random(i, 999)) }, false},
		"padded_codes":    {func(i int) string { return fmt.Sprintf("'%05d", random(i, 900)) }, false},
		"rooms":           {func(i int) string { return fmt.Sprintf("Room: %d", random(i, 90)) }, false},
		"icd":             {func(i int) string { return fmt.Sprintf("%c%02d.%d", 'A'+i%7, random(i, 90), i%10) }, false},
		"versions":        {func(i int) string { return fmt.Sprintf("%d.%d.%d", 1+i%5, random(i, 20), i%9) }, false},
		"phone_numbers":   {func(i int) string { return fmt.Sprintf("030/%06d", random(i, 10000)) }, false},
		"extensions":      {func(i int) string { return fmt.Sprintf("555-%04d", random(i, 10000)) }, false},
		"local_numbers":   {func(i int) string { return fmt.Sprintf("950-%d", 1000+random(i, 9000)) }, false},
		"local_offices":   {func(i int) string { return fmt.Sprintf("%d-%d", 900+random(i, 90), 1000+random(i+7, 1200)) }, false},
		"packs":           {func(i int) string { return fmt.Sprintf("%d x 10", 1+random(i, 50)) }, false},
		"far_integers":    {func(i int) string { return fmt.Sprintf("%d-%d", 20+random(i, 90), 250+random(i, 90)) }, false},
		"invoices":        {func(i int) string { return fmt.Sprintf("%d/2024", 100+random(i, 900)) }, false},
		"invoices_short":  {func(i int) string { return fmt.Sprintf("%d/%d", 100+random(i, 900), 21+i%4) }, false},
		"year_codes":      {func(i int) string { return fmt.Sprintf("%d-%d", 2020+i%5, 3000+random(i, 6000)) }, false},
		"days":            {func(i int) string { return fmt.Sprintf("%d/%d", 1+random(i, 28), 1+random(i, 12)) }, false},
		"pairs_of_codes":  {func(i int) string { return fmt.Sprintf("%d/%d", 10+random(i, 90), 10+random(i+7, 90)) }, false},
		"goals":           {func(i int) string { return fmt.Sprintf("%d-%d", 40+random(i, 50), 40+random(i+7, 50)) }, false},
		"addresses":       {func(i int) string { return fmt.Sprintf("%d Main Street", random(i, 900)) }, false},
		"products":        {func(i int) string { return fmt.Sprintf("Galaxy S%d", random(i, 90)) }, false},
		"hexadecimal":     {func(i int) string { return fmt.Sprintf("0x%d", 10+random(i, 90)) }, false},
		"networks":        {func(i int) string { return fmt.Sprintf("10.0.%d.%d", random(i, 250), i) }, false},
		"few_fractions":   {func(i int) string { return fmt.Sprintf("6/%d", []int{6, 9, 12, 18}[i%4]) }, false},
		"numbers":         {func(i int) string { return fmt.Sprintf("%d/100", random(i, 90)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := warningsOf(t, csvfile.CodeNumbersInText, tabletest.Cells(200, c.cell))
			if (got != "") != c.want {
				t.Errorf("%q", got)
			}
			if c.want && !strings.Contains(got, "rows, the cell is a text made of numbers, such as ") {
				t.Error(got)
			}
		})
	}
}

// TestTimeZonesOfOneColumn scans columns of times with offsets from UTC.
func TestTimeZonesOfOneColumn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zones string
		want  string
	}{
		"several": {"-05:00 +01:00 +01:00 Z", `the times have 3 different offsets from UTC, such as those of "2024-01-02T01:00:00+01:00" (line 3) and "2024-01-01T00:00:00-05:00" (line 2); in 20 rows, the offset differs by more than an hour from the most frequent offset; features use the local time only, so they do not show the true order of the times`},
		"summer":  {"+01:00 +02:00", ""},
		"london":  {"+00:00 +01:00", ""},
		"one":     {"-05:00", ""},
		"letters": {"EST PST", ""},
	} {
		t.Run(name, func(t *testing.T) {
			zones := strings.Fields(c.zones)
			got := warningsOf(t, csvfile.CodeMixedTimeZones, tabletest.Cells(80, func(i int) string {
				return fmt.Sprintf("2024-%02d-%02dT%02d:00:00%s", 1+i/28, 1+i%28, i%24, zones[i%len(zones)])
			}))
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

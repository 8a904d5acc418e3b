package profile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
)

// TestFormatDates checks that a time before 1970 is formatted as the day on which it is,
// not as the next day.
func TestFormatDates(t *testing.T) {
	if got := formatDates(&columnstats.NumericStats{Min: -0.25, Max: 365.75}); got != " from 1969-12-31 to 1971-01-01" {
		t.Errorf("got %q", got)
	}
}

func TestWarnDivision(t *testing.T) {
	file := func(name string, cell func(row int) string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "id,x,%s,label\n", name)
		for row := range 120 {
			fmt.Fprintf(&b, "%d,%d,%s,%c\n", row, row*row%37, cell(row), 'a'+rune(row*7%11%2))
		}
		return b.String()
	}
	visits := func(rows int) func(int) string {
		return func(row int) string { return fmt.Sprintf("c%d", row/rows) }
	}
	numbers := func(row int) string { return fmt.Sprint(1000 + row*31%40) }
	days := func(row int) string {
		return time.Date(2024, 1, 1+row*17%80, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	for _, c := range []struct {
		column, code string
		cell         func(int) string
	}{
		{"customer_id", csvfile.CodeGroupColumn, visits(3)},
		{"patientNo", csvfile.CodeGroupColumn, numbers},
		{"PatientenID", csvfile.CodeGroupColumn, numbers},
		{"Patienten-Nr.", csvfile.CodeGroupColumn, numbers},
		{"Kundennummer", csvfile.CodeGroupColumn, numbers},
		{"Fallnummer", csvfile.CodeGroupColumn, numbers},
		{"Fall", "", numbers},
		{"Fall-Nr.", csvfile.CodeGroupColumn, numbers},
		{"Debitor", csvfile.CodeGroupColumn, numbers},
		{"Debitorennr.", csvfile.CodeGroupColumn, numbers},
		{"KdNr", csvfile.CodeGroupColumn, numbers},
		{"Kd-Nr.", csvfile.CodeGroupColumn, numbers},
		{"kdnr", csvfile.CodeGroupColumn, numbers},
		{"KD", "", numbers}, // also a dissociation constant
		{"Geschäftspartner", csvfile.CodeGroupColumn, numbers},
		{"Vertragsnummer", csvfile.CodeGroupColumn, numbers},
		{"Vertrag", "", visits(3)},
		{"Vertragsart", "", visits(3)},
		{"Vertragskonto", csvfile.CodeGroupColumn, numbers},
		{"Personalnummer", csvfile.CodeGroupColumn, numbers},
		{"Personal", "", numbers},
		{"Mitgliedsnr", csvfile.CodeGroupColumn, numbers},
		{"Kontonummer", csvfile.CodeGroupColumn, numbers},
		{"Konto", "", numbers},
		{"Maschine", csvfile.CodeGroupColumn, visits(3)},
		{"Maschinennr", csvfile.CodeGroupColumn, numbers},
		{"Matrikelnummer", csvfile.CodeGroupColumn, numbers},
		{"GP-Nr.", csvfile.CodeGroupColumn, numbers},
		{"Pers.-Nr.", csvfile.CodeGroupColumn, numbers},
		{"Zählernummer", csvfile.CodeGroupColumn, numbers},
		{"Zähler", "", numbers},
		{"Pat.-Nr.", csvfile.CodeGroupColumn, numbers},
		{"pat_id", csvfile.CodeGroupColumn, numbers},
		{"Proband", csvfile.CodeGroupColumn, visits(3)},
		{"mouse_id", csvfile.CodeGroupColumn, visits(3)},
		{"mouse", "", visits(3)}, // perhaps a device
		{"animal", csvfile.CodeGroupColumn, visits(3)},
		{"animal_type", "", visits(3)},
		{"donor", csvfile.CodeGroupColumn, visits(3)},
		{"participant", csvfile.CodeGroupColumn, numbers},
		{"respondent", csvfile.CodeGroupColumn, numbers},
		{"litter", csvfile.CodeGroupColumn, visits(3)},
		{"litter size", "", numbers},
		{"specimen", csvfile.CodeGroupColumn, visits(3)},
		{"MRN", csvfile.CodeGroupColumn, numbers},
		{"Session ID", csvfile.CodeGroupColumn, numbers},
		{"ID", csvfile.CodeGroupColumn, visits(3)},
		{"uuid", csvfile.CodeGroupColumn, func(row int) string { return fmt.Sprintf("c%d", max(row, 1)) }}, // only one value repeats
		{"ID", "", visits(20)},
		{"customer_id", "", visits(20)}, // a normal category
		{"consumer", "", visits(3)},
		{"Customer Name", csvfile.CodeGroupColumn, visits(3)},
		{"Customer ID", csvfile.CodeGroupColumn, func(row int) string { return fmt.Sprintf("%c%c-1%04d", 'A'+row/2%7, 'A'+row/2%5, row/2*37%999) }}, // a text
		{"Provider Number", csvfile.CodeGroupColumn, numbers},
		{"hospital_id", csvfile.CodeGroupColumn, visits(3)},
		{"YearsAtCompany", "", numbers},
		{"user_timezone", "", visits(3)},
		{"customer_unique_id", csvfile.CodeGroupColumn, visits(3)},
		{"patient_nbr", csvfile.CodeGroupColumn, numbers},
		{"user.age", "", numbers},
		{"user.id", csvfile.CodeGroupColumn, numbers},
		{"signed", csvfile.CodeTimeColumn, days},
		{"date_of_birth", "", days},
		{"Geburtsdatum", "", days},
		{"Patientengeburtstag", "", days},
		{"Geb.-Datum", "", days},
		{"Geb_Dat", "", days},
		{"geboren", "", days},
		{"Date de naissance", "", days},
		{"Fecha de nacimiento", "", days},
		{"Gebucht am", csvfile.CodeTimeColumn, days},
		{"mostly_empty", "", func(row int) string {
			if row%20 > 8 {
				return ""
			}
			return days(row)
		}},
		{"known_for_one_class", "", func(row int) string { // it predicts the label
			if row*7%11%2 == 1 {
				return ""
			}
			return days(row)
		}},
		{"exported", "", func(row int) string { return fmt.Sprintf("2016-02-03 12:%02d:00", row%60) }}, // all of one day
		{"exported", csvfile.CodeTimeColumn, func(row int) string { return fmt.Sprintf("2016-02-%02d 12:%02d:00", 3+row/60, row%60) }},
	} {
		got := ""
		for _, w := range scanText(t, file(c.column, c.cell), ScanOptions{}).Warnings {
			if w.Code == csvfile.CodeGroupColumn || w.Code == csvfile.CodeTimeColumn {
				if got = w.Code; w.Name != c.column {
					t.Errorf("%s: the warning is about %s", c.column, w.Name)
				}
			}
		}
		if got != c.code {
			t.Errorf("%s with cells such as %s: warning %q, want %q", c.column, c.cell(0), got, c.code)
		}
	}
}

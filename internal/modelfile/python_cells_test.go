package modelfile

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/testenv"
)

// cellReading is what the parsers read from a cell.
type cellReading struct {
	Number  *float64   `json:"number"`
	Amounts []*float64 `json:"amounts"`
	Days    []*float64 `json:"days"` // in each of dateFormats
	HasDate []bool     `json:"dates"`
	HasTime []bool     `json:"times"`
	Words   []string   `json:"words"`
}

var amountFormats = []cells.NumberFormat{{Unit: "%"}, {Unit: "$"}, {Unit: "month"}, {DecimalComma: true}, {Unit: "€", DecimalComma: true}, {Unit: "a"}, {Unit: "usd"}, {Unit: "rs."}, {Unit: "h"}, {Unit: "year"}, {Unit: "/100"}, {Unit: "/5 star"}, {Unit: "/l", DecimalComma: true}, {Unit: "/10"}, {Unit: "m"}, {Unit: "k"}}

// dateFormats are those of the list of parsers in the script of TestPythonParsesCells.
var dateFormats = []cells.DateFormat{{}, {DayFirst: true}, {YearFirst: true}, {YearFirst: true, DayFirst: true}, {PerDay: 86_400}, {PerDay: 86_400e3}, {PerDay: 86_400e9}}

// formatsOf returns the indices of the amountFormats in which cell i of the test is read. Written
// cells are read in all formats, and random cells, which are many, in a quarter of them.
func formatsOf(i, written int) []int {
	var indices []int
	for format := range amountFormats {
		if i < written || format%4 == i%4 {
			indices = append(indices, format)
		}
	}
	return indices
}

func readCell(cell string, formats []int) cellReading {
	r := cellReading{Number: finite(cells.NumberOrNaN([]byte(cell))), Words: []string{}}
	for _, i := range formats {
		format := amountFormats[i]
		value, ok := format.Parse([]byte(cell))
		if !ok {
			value = math.NaN()
		}
		r.Amounts = append(r.Amounts, finite(value))
	}
	for _, dates := range dateFormats {
		moment, ok := dates.Parse([]byte(cell))
		days := math.NaN()
		if ok {
			days = moment.EpochDays()
		}
		r.Days, r.HasDate = append(r.Days, finite(days)), append(r.HasDate, ok && moment.HasDate)
		r.HasTime = append(r.HasTime, ok && moment.HasTime)
	}
	var tokenizer cells.Tokenizer
	tokenizer.Tokenize(cells.Trim([]byte(cell)), func(word []byte) { r.Words = append(r.Words, string(word)) })
	return r
}

// finite returns nil for NaN and infinity.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// unixTimes are numbers that are Unix times in some unit, or nearly.
var unixTimes = strings.Split("0|-1|1|1700000000|1700000000.5|1700000000.0|1,700,000,000|1.7e9|1700000000123|1700000000123456|1700000000123456789|32503679999|32503680000|32503679999.9|86400|86399|06-01-31|31/01/06|84/02/29|83/02/29|99.12.31 23:59|00/01/02|06-1-2|6-01-02|06-01-2006|31-01-2006|2006-01-31", "|")

// newCells are dates and amounts of forms that earlier versions did not read.
var newCells = strings.Split("30. April 2025|30.Apr.2025|30. Mai 25|1. MÄRZ 2025|Montag, 5. Okt. 2025 10:30|30 avr. 2025|1er août 2024|3 de enero de 2024|3 gen 2024|SET-12|ene-24|ABR-24|ago 2024|dic. 2, 2024|mag-24|Mai-25|12.50-|-12.50-|(5-)|3-|2005-|.5-|1,234-|1'234-|12.50-*|1.234,50-|$5-|"+
	"3h 36m|75m16s|3 h 54 min|2 d 4 h|1 Hour, 30.5 Minutes|3 Std. 5 Min.|1h and 5m|56y 1m|56 years 3 months|5 min|30 min.|6 months|5y|3h 60m|5m 3h|3H 5M|1h 5h|1.5h 3m|"+
	"~70.7|≈ 1,200|ca. 5|ca.5|Ca 7,5|approx. 12|~3h 5m|55.9 ± 0.3|5±0,3|5 +/- 2|77.1×10^3|5.2 x 10^9/L|5,2*10^-3|4·10⁻¹²|5×10⁹ /L|5x10^23|5x10⁰|5x10^0|3.5×10^-1 M|3.5*10^2 k|3.5 x 10² k+|5±1 k|8/10|(8/10)|5/5|72.1/100|42 / 100|43 of 100|4.1 out of 5 stars|120/80|05/12|5/2024|110/100|"+
	"20240302T161900Z|20240302T1619|20240302T161900.5+0100|20240302T16|07/Mar/2024:02:45:00 +0100|2024-03-07T17:10:00+01:00[Europe/Berlin]|2024-03-07[Europe/Berlin]|2024-03-07T17:10[Europe/Berlin]|17-03-2024 18.11|2024-03-17 8.11.05|2024-03-17 18.60|2024-03-17 18.111|"+
	"1/15/2024, 1:15:00\u202fPM|1/15/2024, 1:15:00\u00a0p.\u00a0m.|2024-01-15 1:15 a.m.|13:15 p.m.|2024-01-15T13:15:00.1234567890Z|13:15:00.123456789012|13:15:001|15. 1. 2024|15. 1. 24 9:05|Mo. 15.1.2024|2. 1 2024|2024/01/15 13:15 +0000 UTC|2024-01-15 13:15 +0100 CET|13:15 +01 CETCET|Mon Jan 15 2024 13:15:00 GMT+0100 (Central European Standard Time)|Mon Jan 15 2024 13:15:00 GMT+0100 (Mitteleuropäische Normalzeit)|2024-01-15 13:15 (CET)|2024-01-15 (CET)|13:15Z (CET)|2024-01-15 13:15Z (a) (b)|2024-01-15 13:15Z (a) b)|"+
	"18.00.00|18.30.00|9.13.00|18.10.00|18.00.36|24.00.00|18.60.00|18.00.00 PM|09h25|9H25|09h60|25h10|9h2|109h25|09h255|2024-01-15 09h25|"+
	"1,23E+05|-3,415e-02|1E+05|,5E3|1,E5|1.234E+05|1.234,5E2|1,5E999|1,5E+0,5|1E1.234|1,5E+|1,5E+03 €|(1,5E3)|1,5E3-|1,5E3k", "|")

// TestPythonParsesCells compares the parsers on random cells made of pieces of numbers,
// dates and texts.
func TestPythonParsesCells(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	program := writePython(t, goldenFolder+"blend.model")
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := strings.Split("0|1|2|5|12|31|99|123|2024|1999|20240229|.|,|:|-|/|+|e|E|(|)|$|€|%| |  |T|Z|k|K|M|B|s|am|PM|st|nd|jan|January|Mar.|mon|Friday|months|month|'|’|\u00A0|\u2009|\u202F|567|é|É|東|ไ|ß|İ|\u0301|x|AbC|UTC|a|\"|²|_|*|†|[|]|[1]|[a]|−|–|,34,567|USD|USD |kr |Kr. |kr|Rs. |Rs |usd|26|:30|:07|h|days|day|, |P|PT|H|M|S|D|W|+|26:30:00|1 day, |days +|2:03:04", "|")
	pieces = append(pieces, strings.Split("-|EUR|eur|Euro| gbp|US$|.|. |de |er|März|MÄRZ|août|Okt|dez.|set|gen|mai|juil.|Montag|Mo|mié|À|÷", "|")...)
	pieces = append(pieces, strings.Split("~|≈|ca. |ca |±|+/-|×|x|·|10|^|10^|10^3|10⁹|⁻|²|/100|/5|of| of |out of |100| stars|/L|min|m|s|y|mo| and |Std.|3h|5m|T1619|T161900|18.11|.05|[Europe/Berlin]|+01:00|:02:45|07/Mar/2024", "|")...)
	pieces = append(pieces, strings.Split("a.m.|p. m.| P.M|.123456789|15. 1. 2024|15. 1. |GMT+01| +0100| CET| (CET)| (a b)|(|)|13:15|2024-01-15 |.00.00|.30.00|h25|H30|18", "|")...)
	list := slices.Concat(hostileCells, newCells, unixTimes)
	for range 30_000 {
		text := ""
		for range 1 + rng.IntN(7) {
			text += pieces[rng.IntN(len(pieces))]
		}
		list = append(list, text)
	}
	formats := make([][]int, len(list))
	for i := range list {
		formats[i] = formatsOf(i, len(hostileCells)+len(newCells)+len(unixTimes))
	}
	input, err := json.Marshal(map[string]any{"cells": list, "formats": amountFormats, "formatsOf": formats})
	if err != nil {
		t.Fatal(err)
	}
	const script = `
import json, math, sys
import model
given = json.load(sys.stdin)
finite = lambda x: x if math.isfinite(x) else None
result = []
for cell, indices in zip(given["cells"], given["formatsOf"]):
    dates = [model.parse_date(cell, day_first, year_first) for year_first in (False, True) for day_first in (False, True)]
    dates += [model.parse_unix_time(cell, unit) for unit in ("s", "ms", "ns")]
    dates = [date or (math.nan, False, False) for date in dates]
    result.append({
        "number": finite(model.number_or_nan(cell)),
        "amounts": [finite(model.amount_or_nan(cell, form["Unit"], form["DecimalComma"])) for form in (given["formats"][i] for i in indices)],
        "days": [finite(days) for days, _, _ in dates], "dates": [has for _, has, _ in dates], "times": [has for _, _, has in dates],
        "words": model.words(cell.strip(model.SPACE)),
    })
json.dump(result, sys.stdout)
`
	var got []cellReading
	if err := json.Unmarshal(runPython(t, program, input, "-c", script), &got); err != nil {
		t.Fatal(err)
	}
	for i, cell := range list {
		want, _ := json.Marshal(readCell(cell, formats[i]))
		if have, _ := json.Marshal(got[i]); !bytes.Equal(have, want) {
			t.Errorf("%q: %s, want %s", cell, have, want)
		}
	}
}

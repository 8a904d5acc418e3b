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
)

// cellReading is what the parsers read from a cell.
type cellReading struct {
	Number  *float64   `json:"number"`
	Amounts []*float64 `json:"amounts"`
	Days    []*float64 `json:"days"` // with the month first, and with the day first
	HasDate []bool     `json:"dates"`
	Words   []string   `json:"words"`
}

var amountFormats = []cells.NumberFormat{{Unit: "%"}, {Unit: "$"}, {Unit: "month"}, {DecimalComma: true}, {Unit: "€", DecimalComma: true}, {Unit: "a"}, {Unit: "usd"}, {Unit: "rs."}, {Unit: "h"}, {Unit: "year"}, {Unit: "/100"}, {Unit: "/5 star"}, {Unit: "/l", DecimalComma: true}, {Unit: "/10"}, {Unit: "m"}, {Unit: "k"}}

func readCell(cell string) cellReading {
	r := cellReading{Number: finite(cells.NumberOrNaN([]byte(cell))), Words: []string{}}
	for _, format := range amountFormats {
		value, ok := format.Parse([]byte(cell))
		if !ok {
			value = math.NaN()
		}
		r.Amounts = append(r.Amounts, finite(value))
	}
	for _, dayFirst := range []bool{false, true} {
		moment, ok := cells.ParseDateTime([]byte(cell), dayFirst)
		days := math.NaN()
		if ok {
			days = moment.EpochDays()
		}
		r.Days, r.HasDate = append(r.Days, finite(days)), append(r.HasDate, ok && moment.HasDate)
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

// newCells are dates and amounts of forms that earlier versions did not read.
var newCells = strings.Split("30. April 2025|30.Apr.2025|30. Mai 25|1. MÄRZ 2025|Montag, 5. Okt. 2025 10:30|30 avr. 2025|1er août 2024|3 de enero de 2024|3 gen 2024|SET-12|ene-24|ABR-24|ago 2024|dic. 2, 2024|mag-24|Mai-25|12.50-|-12.50-|(5-)|3-|2005-|.5-|1,234-|1'234-|12.50-*|1.234,50-|$5-|"+
	"3h 36m|75m16s|3 h 54 min|2 d 4 h|1 Hour, 30.5 Minutes|3 Std. 5 Min.|1h and 5m|56y 1m|56 years 3 months|5 min|30 min.|6 months|5y|3h 60m|5m 3h|3H 5M|1h 5h|1.5h 3m|"+
	"~70.7|≈ 1,200|ca. 5|ca.5|Ca 7,5|approx. 12|~3h 5m|55.9 ± 0.3|5±0,3|5 +/- 2|77.1×10^3|5.2 x 10^9/L|5,2*10^-3|4·10⁻¹²|5×10⁹ /L|5x10^23|5x10⁰|5x10^0|3.5×10^-1 M|3.5*10^2 k|3.5 x 10² k+|5±1 k|8/10|(8/10)|5/5|72.1/100|42 / 100|43 of 100|4.1 out of 5 stars|120/80|05/12|5/2024|110/100|"+
	"20240302T161900Z|20240302T1619|20240302T161900.5+0100|20240302T16|07/Mar/2024:02:45:00 +0100|2024-03-07T17:10:00+01:00[Europe/Berlin]|2024-03-07[Europe/Berlin]|2024-03-07T17:10[Europe/Berlin]|17-03-2024 18.11|2024-03-17 8.11.05|2024-03-17 18.60|2024-03-17 18.111", "|")

// TestPythonParsesCells compares the parsers on random cells made of pieces of numbers,
// dates and texts.
func TestPythonParsesCells(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs Python, and tests no concurrency")
	}
	program := writePython(t, goldenFolder+"blend.model")
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := strings.Split("0|1|2|5|12|31|99|123|2024|1999|20240229|.|,|:|-|/|+|e|E|(|)|$|€|%| |  |T|Z|k|K|M|B|s|am|PM|st|nd|jan|January|Mar.|mon|Friday|months|month|'|’|\u00A0|\u2009|\u202F|567|é|É|東|ไ|ß|İ|\u0301|x|AbC|UTC|a|\"|²|_|*|†|[|]|[1]|[a]|−|–|,34,567|USD|USD |kr |Kr. |kr|Rs. |Rs |usd|26|:30|:07|h|days|day|, |P|PT|H|M|S|D|W|+|26:30:00|1 day, |days +|2:03:04", "|")
	pieces = append(pieces, strings.Split("-|EUR|eur|Euro| gbp|US$|.|. |de |er|März|MÄRZ|août|Okt|dez.|set|gen|mai|juil.|Montag|Mo|mié|À|÷", "|")...)
	pieces = append(pieces, strings.Split("~|≈|ca. |ca |±|+/-|×|x|·|10|^|10^|10^3|10⁹|⁻|²|/100|/5|of| of |out of |100| stars|/L|min|m|s|y|mo| and |Std.|3h|5m|T1619|T161900|18.11|.05|[Europe/Berlin]|+01:00|:02:45|07/Mar/2024", "|")...)
	list := slices.Concat(hostileCells, newCells)
	for range 30_000 {
		text := ""
		for range 1 + rng.IntN(7) {
			text += pieces[rng.IntN(len(pieces))]
		}
		list = append(list, text)
	}
	input, err := json.Marshal(map[string]any{"cells": list, "formats": amountFormats})
	if err != nil {
		t.Fatal(err)
	}
	const script = `
import json, math, sys
import model
given = json.load(sys.stdin)
finite = lambda x: x if math.isfinite(x) else None
result = []
for cell in given["cells"]:
    dates = [model.parse_date(cell, day_first) or (math.nan, False) for day_first in (False, True)]
    result.append({
        "number": finite(model.number_or_nan(cell)),
        "amounts": [finite(model.amount_or_nan(cell, form["Unit"], form["DecimalComma"])) for form in given["formats"]],
        "days": [finite(days) for days, _ in dates], "dates": [has for _, has in dates],
        "words": model.words(cell.strip(model.SPACE)),
    })
json.dump(result, sys.stdout)
`
	var got []cellReading
	if err := json.Unmarshal(runPython(t, program, input, "-c", script), &got); err != nil {
		t.Fatal(err)
	}
	for i, cell := range list {
		want, _ := json.Marshal(readCell(cell))
		if have, _ := json.Marshal(got[i]); !bytes.Equal(have, want) {
			t.Errorf("%q: %s, want %s", cell, have, want)
		}
	}
}

package cells

import "math"

// DateFormat says how the dates of a column are read. The zero value reads 1/2/2006 as the second of
// January.
type DateFormat struct {
	DayFirst  bool // 1/2/2006 is the first of February
	YearFirst bool // 06-01-02 is the second of January 2006
	// PerDay is the number of units of time in a day if the dates are Unix times: numbers that count the
	// units since 1 January 1970 UTC. It is 0 for other dates.
	PerDay float64
}

// Parse parses a cell as a date, a time of day or both; see ParseDateTime. If PerDay is not 0, it
// parses a Unix time: a positive number whose date is before the year 3000. For 0 and negative
// numbers, ok is false, because programs write 0 or -1 if a time is missing.
func (f DateFormat) Parse(cell []byte) (parsed DateTime, ok bool) {
	if f.PerDay > 0 {
		return f.ParseNumber(NumberOrNaN(cell))
	}
	p := newDateParser(cell, f.DayFirst)
	p.yearFirst = f.YearFirst
	return p.parse()
}

// ParseNumber is like Parse, but for a cell whose number is already known. PerDay must not be 0.
func (f DateFormat) ParseNumber(number float64) (parsed DateTime, ok bool) {
	if !(number > 0) || number >= f.PerDay*float64(DaysFromCivil(maxYear+1, 1, 1)) {
		return DateTime{}, false
	}
	rest := math.Mod(number, f.PerDay)
	return DateTime{Day: int((number - rest) / f.PerDay), Hour: rest / (f.PerDay / 24), HasDate: true, HasTime: true}, true
}

package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// SplitColumns are the names of the columns by which the rows of a training file are
// divided into training and validation rows. Both may be empty.
type SplitColumns struct {
	Group string // rows with the same value are kept together; see groupKey
	Time  string // numbers, or dates with or without a time of day; validation rows are later than training rows
}

// SplitKeys are the values of the columns in SplitColumns. A slice is nil if SplitColumns does
// not name its column.
type SplitKeys struct {
	// Groups holds the number of each row's group, counted from 0, or -1 if the cell is
	// empty.
	Groups []int32
	// Times holds the time of each row, or NaN if the cell is empty or not a time. A time is the
	// number in the cell, or the number of days from 1 January 1970 to the date in the cell. If all
	// times have an offset from UTC, the days are counted in UTC.
	Times []float64
}

// SplitColumnError is the error of ReadSplitKeys for a column by which the rows cannot be divided.
type SplitColumnError struct {
	Column, Reason string
}

func (e *SplitColumnError) Error() string { return fmt.Sprintf("%q: %s", e.Column, e.Reason) }

// minTimeShare is the smallest fraction of the non-empty cells of a time column that must
// be times.
const minTimeShare = 0.95

// ReadSplitKeys reads the split columns of a training file, which must be fields of
// schema. It returns a *SplitColumnError for a column with fewer than two different values, and for
// a time column in which too many cells are not times.
func ReadSplitKeys(ctx context.Context, src io.Reader, schema *Schema, columns SplitColumns) (*SplitKeys, error) {
	t, err := csvfile.OpenTable(csvfile.NewReader(csvfile.ContextReader{Ctx: ctx, Src: src}, ','))
	if err != nil {
		return nil, err
	}
	names := schema.FieldNames()
	group, clock := slices.Index(names, columns.Group), slices.Index(names, columns.Time)
	for _, name := range []string{columns.Group, columns.Time} {
		if name != "" && !slices.Contains(names, name) {
			return nil, &SplitColumnError{name, "the file has no such column"}
		}
	}
	reader := splitKeyReader{index: make(map[string]int32)}
	for i := range schema.Columns {
		c := &schema.Columns[i]
		if c.SourceName() == columns.Time && c.isDatePart() {
			reader.format = c.DateFormat()
		}
		switch {
		case c.SourceName() != columns.Group:
		case c.Feature == ExtractAmount:
			reader.numbers = cells.NumberFormat{Unit: c.Unit, DecimalComma: c.DecimalComma}
		case c.isDatePart():
			reader.dates = new(c.DateFormat())
		}
	}
	for {
		rec, err := t.Next(ctx)
		if errors.Is(err, io.EOF) {
			return reader.keys(columns)
		}
		if err != nil {
			return nil, err
		}
		if columns.Group != "" {
			reader.addGroup(rec.Fields[group+1])
		}
		if columns.Time != "" {
			reader.addTime(rec.Fields[clock+1])
		}
	}
}

// splitKeyReader collects the values of the split columns.
type splitKeyReader struct {
	index   map[string]int32   // the number of each group, by its groupKey
	numbers cells.NumberFormat // the format of the numbers of the group column
	dates   *cells.DateFormat  // the format of the dates of the group column; nil if it has no dates
	groups  []int32
	// times holds the times of the rows in each format. parsed holds, for each format,
	// the number of cells that have it.
	times  [numTimeFormats][]float64
	parsed [numTimeFormats]int
	// format is the format of the dates in the schema. Its fields PerDay and YearFirst apply to all
	// dates. DayFirst applies only if all dates can be read in both orders, with the day or the
	// month first.
	format cells.DateFormat
	// offsets holds, for each row, how many days its time is ahead of UTC, or NaN if the time has no
	// offset. If isLocal is set for all date formats, offsets is incomplete and not used.
	offsets []float64
	isLocal [numTimeFormats]bool // whether a time in the format has no offset
	filled  int                  // number of cells of the time column that are not empty
	invalid string               // the first cell that is not a time in any format
}

// The formats in which a cell is read as a time.
const (
	timeIsNumber = iota
	timeMonthFirst
	timeDayFirst
	numTimeFormats
)

func (r *splitKeyReader) addGroup(cell []byte) {
	if cell = cells.Trim(cell); len(cell) == 0 {
		r.groups = append(r.groups, -1)
		return
	}
	key := r.groupKey(cell)
	group, known := r.index[key]
	if !known {
		group = int32(len(r.index))
		r.index[key] = group
	}
	r.groups = append(r.groups, group)
}

// groupKey returns a text that is equal for all cells of a group, although programs write the same
// customer or day in different ways: 41, 41.0 and 0041, p7 and P7, or 2024-01-05 and 05.01.2024. A
// date such as 5/1/2024, whose order of day and month is unknown without the schema, is compared as
// a text. Merging two groups is harmless, because it only makes the division coarser. Splitting a
// group is harmful, because its rows are then used both for training and for scoring.
func (r *splitKeyReader) groupKey(cell []byte) string {
	text := string(cell)
	hasExponent := strings.ContainsAny(text, "eE") // 1234e567 is a code, not a number with an exponent
	number, isNumber := r.numbers.Parse(cell)
	isNumber = isNumber && !hasExponent && cells.DigitsFitFloat64(text)
	day, isDay := parseDay(cell, cells.DateFormat{})
	switch {
	case r.dates != nil:
		day, isDay = parseDay(cell, *r.dates)
	case isNumber:
		isDay = false
	case !isDay: // 13/1/2024 is a date only if the day is first
		day, isDay = parseDay(cell, cells.DateFormat{DayFirst: true})
	default: // without dates among the features, 5/1/2024 is not compared as a date, because its order is unknown
		other, isOther := parseDay(cell, cells.DateFormat{DayFirst: true})
		isDay = !isOther || other == day
	}
	switch {
	case isDay:
		return "day " + strconv.FormatFloat(day, 'g', -1, 64)
	case hasExponent:
		return cells.FoldSpelling(text)
	case isNumber:
		text = strconv.FormatFloat(number, 'g', -1, 64)
	}
	return cells.FoldLabel(text)
}

// parseDay returns the days from 1 January 1970 to the date in a cell. ok is false if the cell is
// not a date.
func parseDay(cell []byte, format cells.DateFormat) (days float64, ok bool) {
	moment, ok := format.Parse(cell)
	if !ok || !moment.HasDate {
		return 0, false
	}
	return moment.EpochDays(), true
}

func (r *splitKeyReader) addTime(cell []byte) {
	isMissing := cells.IsBlank(cell) || r.format.PerDay > 0 && cells.NumberOrNaN(cell) <= 0
	if !isMissing {
		r.filled++
	}
	any := false
	for format := range r.times {
		value := r.parseTime(cell, format)
		if r.times[format] = append(r.times[format], value); !math.IsNaN(value) {
			r.parsed[format]++
			any = true
		}
	}
	if !r.isLocal[timeMonthFirst] || !r.isLocal[timeDayFirst] {
		r.offsets = append(r.offsets, r.utcOffsetOfLastTime(cell))
	}
	if !any && !isMissing && r.invalid == "" {
		r.invalid = string(cells.Trim(cell))
	}
}

// utcOffsetOfLastTime returns the offset from UTC, in days, of the time in cell, which must be the
// last one in r.times. It returns NaN if the time has no offset.
func (r *splitKeyReader) utcOffsetOfLastTime(cell []byte) float64 {
	found := cells.NaN
	for _, format := range []int{timeMonthFirst, timeDayFirst} {
		isTime := !math.IsNaN(r.times[format][len(r.times[format])-1])
		if !isTime || !math.IsNaN(found) {
			continue // the order of day and month does not affect the offset
		}
		if offset, ok := cells.UTCOffset(cell, cells.DateFormat{DayFirst: format == timeDayFirst, YearFirst: r.format.YearFirst}); ok {
			found = offset.Hours() / 24
		} else {
			r.isLocal[format] = true
		}
	}
	return found
}

// toUTC converts local times to UTC. It rounds them to microseconds, so that times in different
// time zones are equal if they are the same moment.
func toUTC(times, offsets []float64) []float64 {
	const microseconds = 24 * 60 * 60 * 1e6 // microseconds of a day
	instants := make([]float64, len(times))
	for i, local := range times {
		instants[i] = math.Round((local-offsets[i])*microseconds) / microseconds
	}
	return instants
}

// parseTime returns the time in a cell, or NaN if the cell is not a time in the given
// format.
func (r *splitKeyReader) parseTime(cell []byte, format int) float64 {
	isNumber := format == timeIsNumber
	if isNumber && r.format.PerDay == 0 {
		return cells.NumberOrNaN(cell)
	}
	dates := cells.DateFormat{DayFirst: format == timeDayFirst, YearFirst: r.format.YearFirst}
	if isNumber {
		dates = r.format
	}
	if days, ok := parseDay(cell, dates); ok {
		return days
	}
	return cells.NaN
}

// keys returns the collected keys. The times are read in the format that most cells have.
func (r *splitKeyReader) keys(columns SplitColumns) (*SplitKeys, error) {
	if columns.Group != "" && len(r.index) < 2 {
		return nil, &SplitColumnError{columns.Group, "the column has fewer than two different values, so no rows can be kept apart"}
	}
	keys := &SplitKeys{Groups: r.groups}
	if columns.Time == "" {
		return keys, nil
	}
	best := 0
	for format, n := range r.parsed {
		if n > r.parsed[best] {
			best = format
		}
	}
	if best == timeMonthFirst && r.format.DayFirst && r.parsed[timeDayFirst] == r.parsed[best] {
		best = timeDayFirst
	}
	if keys.Times = r.times[best]; best != timeIsNumber && !r.isLocal[best] {
		keys.Times = toUTC(keys.Times, r.offsets)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, value := range keys.Times {
		if !math.IsNaN(value) {
			low, high = min(low, value), max(high, value)
		}
	}
	switch {
	case float64(r.parsed[best]) < minTimeShare*float64(r.filled):
		return nil, &SplitColumnError{columns.Time, fmt.Sprintf("%d of %d values are neither numbers nor dates, such as %s", r.filled-r.parsed[best], r.filled, csvfile.Excerpt(r.invalid))}
	case !(low < high):
		return nil, &SplitColumnError{columns.Time, "the column has fewer than two different times, so no rows are later than others"}
	}
	return keys, nil
}

// WithoutColumn returns f without the features that depend on the given column of the
// file. The schema still requires the column in a file to predict.
func (f *Frame) WithoutColumn(column string) *Frame {
	schema := *f.Schema
	schema.Fields = f.Schema.FieldNames()
	out := *f
	out.Schema, out.Columns, schema.Columns = &schema, nil, nil
	for i := range f.Schema.Columns {
		if one := f.Schema.Columns[i]; one.SourceName() != column && one.Since != column {
			schema.Columns = append(schema.Columns, one)
			out.Columns = append(out.Columns, f.Columns[i])
		}
	}
	return &out
}

package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Part tells which part of a file's cell a feature is.
type Part string

// The parts of cells. A feature without a Part is the cell as it is.
const (
	PartAmount  Part = "amount"  // a number that is written with a unit or with commas
	PartText    Part = "text"    // the texts among numbers
	PartTime    Part = "time"    // of a date: days since the beginning of 1970
	PartMonth   Part = "month"   // 1 to 12
	PartDay     Part = "day"     // of the month, 1 to 31
	PartWeekday Part = "weekday" // 0 is Monday
	PartHour    Part = "hour"    // since midnight, with its fraction
	PartLength  Part = "length"  // of a text in bytes
	PartWords   Part = "words"   // how many words a text has
	PartWord    Part = "word"    // 1 if a text has the word, else 0
)

// family returns the part that stands for all numeric parts that are filled
// together.
func (p Part) family() (family Part, known bool) {
	switch p {
	case PartAmount:
		return p, true
	case PartTime, PartMonth, PartDay, PartWeekday, PartHour:
		return PartTime, true
	case PartLength, PartWords, PartWord:
		return PartWord, true
	}
	return "", false
}

// features returns what the engine learns from a column.
func (t *tally) features(name string, j *judged) []ColumnSchema {
	switch j.form {
	case FormNumeric:
		return t.numericFeatures(name, j)
	case FormDate, FormTime:
		return dateFeatures(name, j)
	case FormText:
		return t.textFeatures(name, j)
	}
	if j.names {
		return nil
	}
	return []ColumnSchema{t.category(name)}
}

// category returns the feature whose levels are the texts of a column.
func (t *tally) category(name string) ColumnSchema {
	c := ColumnSchema{Name: name, Kind: Category}
	for _, one := range t.texts.retained() {
		c.Levels = append(c.Levels, one.text)
	}
	return c
}

func (t *tally) numericFeatures(name string, j *judged) []ColumnSchema {
	first := ColumnSchema{Name: name, Kind: Numeric}
	if j.amount != nil {
		first.Part, first.Unit, first.Comma = PartAmount, j.amount.unit, j.amount.comma
	}
	features := []ColumnSchema{first}
	if j.code && len(t.texts.list) > 0 {
		features = append(features, part(t.category(name+".code"), name, PartText))
	}
	if len(j.strays) > 0 {
		others := tally{texts: levels{list: j.strays}}
		features = append(features, part(others.category(name+".text"), name, PartText))
	}
	return features
}

func part(c ColumnSchema, source string, p Part) ColumnSchema {
	c.Source, c.Part = source, p
	return c
}

// dateFeatures returns the time and those parts of the calendar that vary; they
// may do so beyond what is known.
func dateFeatures(name string, j *judged) []ColumnSchema {
	list := []Part{PartTime, PartMonth, PartDay, PartWeekday, PartHour}
	if j.form == FormTime {
		list = []Part{PartHour}
	}
	var features []ColumnSchema
	for _, p := range list {
		if j.form == FormDate && p != PartTime && (!j.sampled || p == PartHour) && !varies(j.values, p) {
			continue
		}
		c := part(ColumnSchema{Name: name + "." + string(p), Kind: Numeric}, name, p)
		c.DayFirst = j.dayFirst
		features = append(features, c)
	}
	return features
}

func varies(days []level, p Part) bool {
	for i := range days {
		if datePart(days[i].value, p) != datePart(days[0].value, p) {
			return true
		}
	}
	return false
}

// textFeatures returns the words of texts, and the texts themselves if enough
// rows share them.
func (t *tally) textFeatures(name string, j *judged) []ColumnSchema {
	var features []ColumnSchema
	if j.shared {
		features = append(features, t.category(name))
	}
	for _, p := range []Part{PartLength, PartWords} {
		features = append(features, part(ColumnSchema{Name: name + "." + string(p), Kind: Numeric}, name, p))
	}
	for _, word := range slices.Sorted(slices.Values(j.words)) {
		c := part(ColumnSchema{Name: name + ":" + word, Kind: Numeric}, name, PartWord)
		c.Word = word
		features = append(features, c)
	}
	return features
}

// ofNumbers tells whether the cells of a form have an order.
func (f Form) ofNumbers() bool { return f == FormNumeric || f == FormDate || f == FormTime }

// plural returns what the cells of a form are.
func (f Form) plural() string {
	switch f {
	case FormNumeric:
		return "numbers"
	case FormDate:
		return "dates"
	case FormTime:
		return "times"
	}
	return "texts"
}

// Format writes a value of Numbers as the form has it.
func (f Form) Format(value float64) string {
	switch f {
	case FormDate:
		year, month, day := calendar(int(math.Floor(value)))
		return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	case FormTime:
		minutes := min(int(math.Round(value*60)), 24*60-1)
		return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}

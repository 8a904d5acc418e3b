package roles

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// Description describes a file by its first rows.
type Description struct {
	// Columns are the columns of the file in order.
	Columns []ColumnDescription
	// Rows is the number of rows read.
	Rows int
	// LooksHeaderless reports whether the first record looks like data and not like a header.
	LooksHeaderless bool

	normalizedNames map[string]bool // set by LacksColumn

	hasAllRows bool // whether the rows read are all rows of the file

	sampled []int      // the positions of the columns that are described by their cells
	cells   [][]string // the cells of these columns in the rows read
}

// ColumnIndex returns the position of the column with this name, or -1.
func (t *Description) ColumnIndex(name string) int {
	return slices.IndexFunc(t.Columns, func(c ColumnDescription) bool { return c.Name == name })
}

// NewDescription returns a description with only the names of its columns.
func NewDescription(names []string) *Description {
	t := &Description{Columns: make([]ColumnDescription, len(names))}
	for i, name := range names {
		t.Columns[i].Name = name
	}
	return t
}

// LacksColumn reports whether no column has this name. Case and punctuation are ignored. For a nil
// description, it returns false.
func (t *Description) LacksColumn(name string) bool {
	if t == nil {
		return false
	}
	if t.normalizedNames == nil {
		t.normalizedNames = make(map[string]bool, len(t.Columns))
		for i := range t.Columns {
			t.normalizedNames[csvfile.NormalizeName(t.Columns[i].Name)] = true
		}
	}
	return !t.normalizedNames[csvfile.NormalizeName(name)]
}

// isEmpty reports whether the file has a column with this name, but none of the rows read has a
// value in it. If no column has exactly this name, case and punctuation are ignored. isEmpty
// returns false for a column that was not described, and for a nil description.
func (t *Description) isEmpty(name string) bool {
	if t == nil || t.Rows == 0 {
		return false
	}
	at := t.ColumnIndex(name)
	if at < 0 && !t.LacksColumn(name) {
		at = slices.IndexFunc(t.Columns, func(c ColumnDescription) bool { return csvfile.NormalizeName(c.Name) == csvfile.NormalizeName(name) })
	}
	return at >= 0 && t.Columns[at].isSampled && t.Columns[at].Filled == 0
}

// HasValues reports whether the file has a column with this name, and one of the rows read has a value
// in it. It returns false for a column that was not described, and for a nil description.
func (t *Description) HasValues(name string) bool {
	if t == nil {
		return false
	}
	at := t.ColumnIndex(name)
	return at >= 0 && t.Columns[at].isSampled && t.Columns[at].Filled > 0
}

// LacksOrHasEmpty reports whether t has no column or only an empty column with this name. If so, the
// column of this name in the training file may be the label.
func (t *Description) LacksOrHasEmpty(name string) bool {
	return t.LacksColumn(name) || t.isEmpty(name)
}

// The maximum number of rows and bytes that are read from a file.
const (
	maxSampleRows       = 2000
	maxSampleBytes      = 32 << 20
	maxCandidateColumns = 100 // columns that may be the ID or the label
)

// ReadHeader returns the names of the columns of a CSV with commas.
func ReadHeader(src io.Reader) ([]string, error) {
	rec, err := csvfile.NewReader(src, ',').Read()
	if err != nil {
		return nil, err
	}
	return trimmedFields(rec), nil
}

func trimmedFields(rec *csvfile.Record) []string {
	names := make([]string, len(rec.Fields))
	for i := range names {
		names[i] = strings.TrimSpace(string(rec.Fields[i]))
	}
	return names
}

// Describe describes a CSV with commas and a header by its first rows. names are the names of the
// columns, which may differ from the header. By position and name, Describe chooses the columns
// that may be the ID or the label. It adds the columns for whose name wanted returns true. It reads
// the cells of at most maxCandidateColumns of all these columns. wanted may be nil. Describe stops
// at an unreadable row without an error.
func Describe(ctx context.Context, src io.Reader, names []string, wanted func(name string) bool) (*Description, error) {
	t, at := NewDescription(names), candidateColumns(names, wanted)
	cells, err := t.readFirstRows(ctx, src, at)
	if err != nil {
		return nil, err
	}
	return t, t.describeColumns(ctx, at, cells)
}

// SetUnnamed sets the field Unnamed of the columns. header holds the names in the header of the file.
func (t *Description) SetUnnamed(header []string) {
	for i := range t.Columns {
		t.Columns[i].Unnamed = header[i] == ""
	}
}

// candidateColumns returns the positions of the columns that may be the ID or the label. names and
// wanted are those of Describe.
func candidateColumns(names []string, wanted func(name string) bool) []int {
	var at []int
	for i, name := range names {
		role := i == 0 || i == len(names)-1 || isIDName(name) || isLikelyIDName(name) || isLabelName(name) || wanted != nil && wanted(name)
		if role && (len(at) < maxCandidateColumns || i == len(names)-1) {
			at = append(at, i)
		}
	}
	return at
}

// DescribeRows is [Describe] for a file whose column names and first rows have already been read. It
// ignores rows with more or fewer cells than names.
func DescribeRows(ctx context.Context, names []string, rows [][][]byte, wanted func(name string) bool) (*Description, error) {
	t, at := NewDescription(names), candidateColumns(names, wanted)
	cells := make([][]string, len(at))
	first := &csvfile.Record{}
	for _, name := range names {
		first.Fields = append(first.Fields, []byte(name))
	}
	header := newHeaderCheck(first)
	for _, row := range rows {
		if len(row) != len(names) {
			continue
		}
		if rec := (&csvfile.Record{Fields: row}); !header.equalsHeader(rec) {
			header.add(rec)
		}
		t.Rows++
		for i, column := range at {
			cells[i] = append(cells[i], strings.TrimSpace(string(row[column])))
		}
	}
	t.LooksHeaderless = header.looksLikeData()
	return t, t.describeColumns(ctx, at, cells)
}

// readFirstRows reads the first rows, sets t.Rows and t.LooksHeaderless, and returns the cells of
// the columns at the given positions. It leaves out rows that repeat the header, as in concatenated
// files.
func (t *Description) readFirstRows(ctx context.Context, src io.Reader, positions []int) (cells [][]string, err error) {
	reader := csvfile.NewReader(src, ',')
	first, err := reader.Read()
	if err != nil || len(first.Fields) != len(t.Columns) {
		return nil, nil // the scan of the file reports an unreadable header
	}
	header := newHeaderCheck(first)
	defer func() { t.LooksHeaderless = header.looksLikeData() }()
	cells = make([][]string, len(positions))
	for size := 0; t.Rows < maxSampleRows && size < maxSampleBytes; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := reader.Read()
		if err != nil || len(rec.Fields) != len(t.Columns) {
			t.hasAllRows = errors.Is(err, io.EOF)
			return cells, nil // the scan of the file reports another error
		}
		for i := range t.Columns {
			size += len(rec.Fields[i])
		}
		if header.equalsHeader(rec) {
			continue
		}
		t.Rows++
		header.add(rec)
		for i, column := range positions {
			cells[i] = append(cells[i], strings.TrimSpace(string(rec.Fields[column])))
		}
	}
	return cells, nil
}

// describeColumns sets the fields of the columns at the given positions, computed from their cells.
func (t *Description) describeColumns(ctx context.Context, positions []int, cells [][]string) error {
	if t.Rows == 0 {
		return nil
	}
	t.sampled, t.cells = positions, cells
	var text bytes.Buffer
	out := csvfile.NewWriter(&text)
	out.WriteField([]byte("row"))
	for i := range positions {
		out.WriteField([]byte("c" + strconv.Itoa(i)))
	}
	out.EndRecord()
	for row := range t.Rows {
		out.WriteField(strconv.AppendInt(nil, int64(row), 10))
		for i := range positions {
			out.WriteField([]byte(cells[i][row]))
		}
		out.EndRecord()
	}
	if err := out.Flush(); err != nil {
		return err
	}
	profile, err := profile.Scan(ctx, &text, profile.ScanOptions{Blind: true})
	if err != nil || len(profile.Columns) != len(positions) {
		return err
	}
	for i, column := range positions {
		c := &t.Columns[column]
		c.describe(&profile.Columns[i], cells[i])
		c.hasMoreRows = t.Rows == maxSampleRows && !t.hasAllRows
		c.constant = t.hasAllRows && c.Distinct == 1 && !c.hasBlank
	}
	return nil
}

func (c *ColumnDescription) describe(prof *profile.ColumnProfile, cells []string) {
	c.isSampled, c.Rows, c.Form = true, len(cells), prof.Form
	c.Filled = c.Rows - prof.Missing
	different := make(map[string]bool, len(cells))
	c.AllIntegers, c.Consecutive, c.AllCodes = true, true, prof.Form == inference.FormCategory || prof.Form == inference.FormText
	kind, before := "", int64(0)
	format := prof.NumberFormat()
	areScores := format != nil && format.HasDenominator()
	for i, cell := range cells {
		different[cell] = true
		if areScores { // such as the row numbers 1/300 to 300/300
			cell = cell[:len(cell)-len(strings.TrimLeft(cell, "0123456789."))]
		}
		isInteger := integerCell().MatchString(cell)
		whole, _, _ := strings.Cut(cell, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		c.AllIntegers = c.AllIntegers && (isInteger || cell == "")
		c.Consecutive = c.Consecutive && isInteger && err == nil && (i == 0 || n == before+1)
		c.FromStart = c.FromStart || i == 0 && (n == 0 || n == 1)
		before = n
		if code := codeKind(cell); i == 0 {
			kind = code
		} else if code != kind {
			kind = ""
		}
		c.AllCodes = c.AllCodes && kind != ""
	}
	c.hasBlank, c.Distinct, c.Unique = different[""], prof.Distinct, len(different) == len(cells) && !different[""]
	c.AllIntegers = c.AllIntegers && prof.Form == inference.FormNumeric && (c.Unique || !areScores)
}

var (
	// integerCell matches integers of any size. pandas writes integers as 1000.0 if the column has
	// missing values, or had some before they were filled.
	integerCell = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[+-]?[0-9]+(\.0+)?$`)
	})
	numberedCode = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([\pL#][\pL._#/-]*)[0-9]+([._/-]?[0-9]+)*$`)
	})
	hexCode = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){2,}[0-9a-fA-F]*$`)
	})
)

// codeKind returns a text that is the same for all codes of one kind: the letters before the
// digits, as in "AB-17" → "AB-", or the length of a hexadecimal code. It returns "" if cell is no
// code.
func codeKind(cell string) string {
	if found := numberedCode().FindStringSubmatch(cell); found != nil {
		return found[1]
	}
	if hexCode().MatchString(cell) {
		return "0x" + strconv.Itoa(len(cell))
	}
	return ""
}

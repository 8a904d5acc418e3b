package scoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/result"
)

// FileRole identifies the file in which a Fault was found.
type FileRole int

// The values of FileRole. The value NoSingleFile is for a fault that is not in a single file,
// such as different numbers of rows.
const (
	NoSingleFile FileRole = iota
	Predictions
	Answers
	SecondPredictions // the second of the two files that Diff compares
)

// Fault is an error in the files, with its location.
type Fault struct {
	File FileRole
	// Line is the line, counted from 1, or 0 if the fault concerns the whole file.
	Line    int
	Message string
	// Hint says what to do. If it is "", the remedy is probably to choose other columns.
	Hint string
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// predictions holds the contents of a file with predicted labels.
type predictions struct {
	names []string // of the columns
	id    string   // the name of the ID column; "" without one
	label string   // the name of the column of predicted labels
	// ids are the IDs of the rows. It is nil if the rows are joined by their order: the file has no
	// IDs, Options.InOrder is set, or the IDs were generated and the answers lack them.
	ids    []string
	idKey  idKey // set if IDs are compared as numbers
	labels []string
	rows   []int // the line of each row
	// orderReason is the reason for joining the rows by their order; "" if they are joined by their
	// IDs or because of Options.InOrder.
	orderReason string
	// shared holds the columns that both files have. It is set only if the answers lack the first
	// column, to check that the cells of each pair of joined rows are equal.
	shared *sharedCells
	// features holds the columns that the other predictions also have, except the columns of results.
	// It is nil if the rows are joined by Options.ID or because of Options.InOrder.
	features *sharedCells
	// classes are the classes with a probability column. probabilities has one row for each
	// row of the file and one column for each of these classes.
	classes       []string
	probabilities []float32
	// modelClasses are the classes of the model; nil if unknown.
	modelClasses []string
	// key determines which labels are equal. It is set by setLabelKey, which may remove
	// the spaces around labels.
	key labelKey
}

// rowName returns the ID of a row or, if there are no IDs, the number of the row, counted
// from 1.
func (p *predictions) rowName(row int) string {
	if p.ids == nil {
		return strconv.Itoa(row + 1)
	}
	return p.ids[row]
}

// answers holds the contents of the file with the true labels.
type answers struct {
	names  []string // of the columns
	id     string   // the name of the ID column; "" without one
	label  string
	ids    []string // nil if the rows are joined by their order
	idKey  idKey    // that of the predictions
	labels []string
	// rows are the line numbers of the rows in the file.
	rows []int
	// shared holds the columns that both files have. It is nil if the rows are joined by a column
	// that is in both files, or because of Options.InOrder.
	shared *sharedCells
}

// probabilityColumn is the prefix of the name of a class's probability column.
const probabilityColumn = "probability_"

// readPredictions reads the predictions. answerColumns are the names of the columns of the
// answers; nil without answers. idName is the name of the ID column. If there is no such column, or
// if the first column has generated IDs, the ID is the first column. If the first column has the
// predicted labels, there are no IDs.
func readPredictions(ctx context.Context, predictionsTable *table, answerColumns []string, idName string, opts Options) (*predictions, error) {
	p := &predictions{names: predictionsTable.names, modelClasses: opts.Classes}
	at, err := p.findLabelColumn(predictionsTable, answerColumns, opts)
	if err != nil {
		return nil, err
	}
	p.label = predictionsTable.names[at]
	id, err := p.findIDColumn(predictionsTable, at, idName, opts)
	if err != nil {
		return nil, err
	}
	var sharedColumns []int
	isCompared := predictionsTable.file == Predictions // only the first predictions are compared with the answers
	if isCompared && !opts.InOrder && opts.ID == "" && (id < 0 || isIndexName(p.id) || idIndex(answerColumns, p.names[0]) < 0) {
		p.shared, sharedColumns = newSharedCells(predictionsTable, answerColumns, at)
	}
	var featureColumns []int
	if !opts.InOrder && opts.ID == "" {
		others := slices.DeleteFunc(slices.Clone(predictionsTable.otherNames), isResultColumn)
		p.features, featureColumns = newSharedCells(predictionsTable, others, at)
	}
	var firstCells []string // the cells of the first column, if this is not the ID
	classColumns := result.ClassColumns(predictionsTable.rawNames, at, opts.Classes)
	if len(classColumns) == 0 {
		classColumns = result.ClassColumnsBefore(predictionsTable.rawNames, at, opts.Classes)
	}
	for {
		row, err := predictionsTable.nextRow(ctx)
		if errors.Is(err, io.EOF) {
			if len(firstCells) > 0 && areGeneratedIDs(firstCells) {
				p.id, p.ids = p.names[0], firstCells
			}
			p.setClasses(classColumns)
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		if id >= 0 {
			p.ids = append(p.ids, trimField(row.Fields[id]))
		}
		if id > 0 && opts.ID == "" {
			firstCells = append(firstCells, trimField(row.Fields[0]))
		}
		label := string(row.Fields[at])
		if trimLabel(label) == "" {
			return nil, predictionsTable.newFault(row.Line, "the column %s has no prediction in this row", quote(p.label))
		}
		p.labels, p.rows = append(p.labels, label), append(p.rows, row.Line)
		p.shared.addRow(row.Fields, sharedColumns)
		p.features.addRow(row.Fields, featureColumns)
		if err := p.addProbabilities(predictionsTable, row, classColumns); err != nil {
			return nil, err
		}
	}
}

// addProbabilities adds the probabilities of a row.
func (p *predictions) addProbabilities(predictionsTable *table, row *csvfile.Record, classColumns []result.ClassColumn) error {
	for _, column := range classColumns {
		cell := trimField(row.Fields[column.Index])
		chance, isProbability := parseProbability(cell)
		if !isProbability {
			return predictionsTable.newFault(row.Line, "%s in column %s is not a probability", quote(cell), quote(p.names[column.Index]))
		}
		p.probabilities = append(p.probabilities, float32(chance))
	}
	return nil
}

// parseProbability returns the number in cell. isProbability reports whether it is from 0 to 1.
func parseProbability(cell string) (number float64, isProbability bool) {
	number, err := strconv.ParseFloat(cell, 64)
	return number, err == nil && number >= 0 && number <= 1
}

// setClasses sets p.classes to the classes of the given columns. If a column has several
// possible classes, setClasses chooses the first of them that was predicted or, if none
// was predicted, the first.
func (p *predictions) setClasses(columns []result.ClassColumn) {
	for _, column := range columns {
		class := column.Labels[0]
		for _, label := range column.Labels {
			if len(column.Labels) > 1 && slices.Contains(p.labels, label) {
				class = label
				break
			}
		}
		p.classes = append(p.classes, class)
	}
}

func (p *predictions) findLabelColumn(predictionsTable *table, answerColumns []string, opts Options) (index int, err error) {
	if opts.Prediction != "" {
		return predictionsTable.columnIndex(opts.Prediction, "prediction", 0)
	}
	if at := result.PredictionColumn(predictionsTable.names); at >= 0 {
		return at, nil
	}
	if at := slices.Index(predictionsTable.names, opts.Label); opts.Label != "" && at >= 0 {
		return at, nil
	}
	if predictionsTable.hasUnsplitHeader() {
		return 0, predictionsTable.newFault(1, "the only column is %s: separate the fields by commas", quote(predictionsTable.names[0]))
	}
	if len(predictionsTable.names) <= 2 {
		return len(predictionsTable.names) - 1, nil
	}
	shared, only := 0, 0
	for at, name := range predictionsTable.names[1:] {
		if slices.Contains(answerColumns, name) {
			shared, only = shared+1, at+1
		}
	}
	if shared == 1 {
		return only, nil
	}
	fault := &Fault{File: predictionsTable.file, Line: 1, Hint: predictionHint}
	fault.Message = "there is no column \"prediction\"; the columns are " + humanize.List(predictionsTable.names, 10)
	if result.PredictionColumn(answerColumns) >= 0 {
		fault.Hint = swappedHint
	}
	return 0, fault
}

// readTrueLabels reads the rows of the answers: the true labels and, if the rows are joined by ID,
// the IDs.
func readTrueLabels(ctx context.Context, answersTable *table, p *predictions, opts Options) (*answers, error) {
	if opts.Label == "" && answersTable.hasUnsplitHeader() {
		return nil, &Fault{File: Answers, Line: 1, Message: fmt.Sprintf("the only column is %s", quote(answersTable.names[0])), Hint: "set the character that separates the fields with --delimiter"}
	}
	at, err := answersTable.columnIndex(opts.Label, "label", findAnswerColumn(answersTable.names, p, opts.ModelLabel))
	if err != nil {
		return nil, err
	}
	a := &answers{names: answersTable.names, label: answersTable.names[at]}
	if opts.Label == "" && strings.HasPrefix(a.label, probabilityColumn) && looksSwapped(p, a) {
		return nil, &Fault{Message: fmt.Sprintf("no column of true labels was found: the best candidate, %s, has probabilities", quote(a.label)), Hint: swappedHint}
	}
	isProbability := func(name string) bool { return strings.HasPrefix(name, probabilityColumn) }
	if opts.Label == "" && at == result.PredictionColumn(a.names) && slices.ContainsFunc(a.names, isProbability) {
		return nil, &Fault{File: Answers, Line: 1, Message: fmt.Sprintf("no column of true labels was found: the best candidate, %s, contains predictions", quote(a.label)), Hint: "pass a file with the true labels, or name their column with --label"}
	}
	id, err := a.findIDColumnOrDropIDs(answersTable, p, at, opts)
	if err != nil {
		return nil, err
	}
	if id >= 0 {
		a.id = a.names[id]
	}
	var sharedColumns []int
	if p.shared != nil && (id < 0 || a.id != p.id || isIndexName(a.id)) {
		a.shared, sharedColumns = newSharedCells(answersTable, p.shared.names, at)
	}
	for {
		row, err := answersTable.nextRow(ctx)
		if errors.Is(err, io.EOF) {
			if id >= 0 && opts.ID == "" {
				p.orderReason = indexReason(a.id, p.ids, a.ids)
			}
			if id >= 0 && a.id == p.id && p.orderReason == "" {
				a.shared = nil // the IDs identify the rows
			}
			return a, nil
		}
		if err != nil {
			return nil, err
		}
		label := string(row.Fields[at])
		a.labels, a.rows = append(a.labels, label), append(a.rows, row.Line)
		if id >= 0 {
			a.ids = append(a.ids, trimField(row.Fields[id]))
		}
		a.shared.addRow(row.Fields, sharedColumns)
	}
}

// findAnswerColumn returns the position of the column that probably has the true labels. modelLabel is
// the name of the label in the training file, or "" if it is unknown.
func findAnswerColumn(names []string, p *predictions, modelLabel string) (index int) {
	if at := slices.Index(names, modelLabel); at >= 0 && modelLabel != "" {
		return at
	}
	if at := slices.Index(names, p.label); at >= 0 && p.label != p.id {
		return at
	}
	only, lacking, last := -1, 0, 0
	for i, name := range names {
		if name == "" {
			continue // spreadsheets write empty columns without a name
		}
		if last = i; !slices.Contains(p.names, name) {
			only, lacking = i, lacking+1
		}
	}
	if lacking == 1 {
		return only
	}
	if last == 0 {
		return len(names) - 1
	}
	return last
}

// table reads a CSV whose rows have as many fields as the header.
type table struct {
	reader *csvfile.Reader
	names  []string // without surrounding spaces
	// rawNames are the names with the spaces around them, which may be part of a label.
	rawNames []string
	file     FileRole
	// otherNames are the names of the other predictions; nil if only one file has predictions.
	otherNames []string
}

func openTable(src io.Reader, file FileRole) (*table, error) {
	t := &table{reader: csvfile.NewReader(src, ','), file: file}
	header, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, t.newFault(0, "the file is empty")
	}
	if err != nil {
		return nil, t.toFault(err)
	}
	for i := range header.Fields {
		t.names = append(t.names, trimField(header.Fields[i]))
		t.rawNames = append(t.rawNames, string(header.Fields[i]))
	}
	return t, nil
}

// hasUnsplitHeader reports whether the table has a single column, whose name contains a delimiter
// such as a semicolon. It probably has several columns, which are not separated by commas.
func (t *table) hasUnsplitHeader() bool {
	return len(t.names) == 1 && strings.ContainsAny(t.names[0], ",;\t|")
}

// nextRow returns the next row, or io.EOF after the last.
func (t *table) nextRow(ctx context.Context) (*csvfile.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	row, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, t.toFault(err)
	}
	if len(row.Fields) != len(t.names) {
		return nil, t.newFault(row.Line, "expected %d fields, got %d", len(t.names), len(row.Fields))
	}
	return row, nil
}

// columnIndex returns the position of the named column, or fallback if name is empty. It returns a
// *Fault if there is no column with this name. role is the word for the column in the message of
// the fault, such as "ID".
func (t *table) columnIndex(name, role string, fallback int) (index int, err error) {
	if name == "" {
		return fallback, nil
	}
	at := slices.Index(t.names, name)
	if at < 0 {
		return at, t.newFault(1, "there is no column %s for the %s; the columns are %s", quote(name), role, humanize.List(t.names, 10))
	}
	return at, nil
}

func (t *table) newFault(line int, format string, args ...any) error {
	return &Fault{File: t.file, Line: line, Message: fmt.Sprintf(format, args...)}
}

// toFault converts a *csvfile.Defect to a *Fault. It returns other errors unchanged.
func (t *table) toFault(err error) error {
	var defect *csvfile.Defect
	if errors.As(err, &defect) {
		fault := &Fault{File: t.file, Line: defect.Line, Message: defect.Message}
		if defect.Code == csvfile.CodeInvalidUTF8 {
			fault.Hint = encodingHint
		}
		return fault
	}
	return err
}

func trimField(field []byte) string { return string(cells.Trim(field)) }

// trimLabel removes the same spaces as the training, for which U+00A0 is a text.
func trimLabel(label string) string { return trimField([]byte(label)) }

func quote(name string) string { return strconv.Quote(name) }

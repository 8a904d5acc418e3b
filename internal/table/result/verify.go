package result

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// The tolerances for the sum of the probabilities and for equal probabilities.
// sumTolerance allows for services that write four digits instead of six.
const (
	sumTolerance      = 1e-3
	equalityTolerance = 1e-6
)

// Verify compares a prediction result with its blind file and returns the number of rows. The
// result must have the rows of the blind file in the same order. Each row must contain a known
// class, probabilities that sum to 1, and the probability of the predicted class. If classes is
// nil, the classes are taken from the header of the result.
//
// The location of a *csvfile.Defect is in the result. The messages of errors in the blind file
// begin with "blind file".
func Verify(ctx context.Context, blind, result io.Reader, classes []string) (rows int, err error) {
	want, err := csvfile.OpenTable(csvfile.NewReader(blind, ','))
	if err != nil {
		return 0, fmt.Errorf("blind file: %w", err)
	}
	got, err := csvfile.OpenTable(csvfile.NewReader(result, ','))
	if err != nil {
		return 0, err
	}
	v := &verifier{want: want, wantNames: want.Names, got: got}
	if err := v.checkHeaderAndSetClasses(classes); err != nil {
		return 0, err
	}
	for {
		more, err := v.checkNextRow(ctx)
		if err != nil {
			return v.rows, err
		}
		if !more {
			return v.rows, nil
		}
	}
}

// VerifyProbabilities checks the predicted class and the probabilities of each row, as Verify does,
// but needs no blind file. It returns the number of rows.
func VerifyProbabilities(ctx context.Context, result io.Reader, classes []string) (rows int, err error) {
	got, err := csvfile.OpenTable(csvfile.NewReader(result, ','))
	if err != nil {
		return 0, err
	}
	before := max(len(got.Names)-len(classes)-2-countReasons(got.Names), 0)
	v := &verifier{wantNames: got.Names[:before], got: got}
	if err := v.checkHeaderAndSetClasses(classes); err != nil {
		return 0, err
	}
	for {
		row, err := v.got.Next(ctx)
		if errors.Is(err, io.EOF) {
			return v.rows, nil
		}
		if err == nil {
			v.rows++
			err = v.checkPrediction(row, before)
		}
		if err != nil {
			return v.rows, err
		}
	}
}

type verifier struct {
	want      *csvfile.Table // the blind file; nil for VerifyProbabilities
	wantNames []string       // the names of the columns before those that a result adds
	got       *csvfile.Table
	classes   map[string]int32
	added     int // number of added columns without the reasons
	rows      int
}

// checkHeaderAndSetClasses sets v.classes and v.added from the header. It returns a defect if the
// header is not the header of a result. If classes is nil, it takes the classes from the header.
func (v *verifier) checkHeaderAndSetClasses(classes []string) error {
	names := v.wantNames
	if classes == nil && len(v.got.Names) >= len(names) {
		classes = v.setClassesFromHeader()
	} else {
		v.classes = frame.BuildIndex(classes)
	}
	v.added = len(classes) + 2
	expected := append(names[:len(names):len(names)], AddedColumns(names, classes, countReasons(v.got.Names))...)
	for i, name := range expected {
		if i >= len(v.got.Names) {
			d := v.got.HeaderDefect(csvfile.CodeColumnsDiffer, i, "the column %s is missing", csvfile.Excerpt(name))
			return &d
		}
		if v.got.Names[i] != trim(name) {
			d := v.got.HeaderDefect(csvfile.CodeColumnsDiffer, i, "expected the column %s", csvfile.Excerpt(name))
			return &d
		}
	}
	if extra := len(expected); extra < len(v.got.Names) {
		d := v.got.HeaderDefect(csvfile.CodeColumnsDiffer, extra, "expected %s, got %d", humanize.Count(extra, "column"), len(v.got.Names))
		return &d
	}
	return nil
}

// setClassesFromHeader sets v.classes to all labels that the names of the class columns can stand
// for; see [ClassColumn]. It returns the likeliest label of each class column.
func (v *verifier) setClassesFromHeader() []string {
	columns := ClassColumns(v.got.RawNames, len(v.wantNames), nil)
	classes := make([]string, len(columns))
	for i, column := range columns {
		classes[i] = column.Labels[0]
	}
	v.classes = frame.BuildIndex(classes)
	for i, column := range columns {
		for _, label := range column.Labels[1:] {
			if _, known := v.classes[label]; !known {
				v.classes[label] = int32(i)
			}
		}
	}
	return classes
}

// reasonColumnPattern matches the name of a column of reasons, such as reason_1. The name has a
// second number if the blind file already has a column of this name.
var reasonColumnPattern = regexp.MustCompile(`^` + reasonName + `_(\d+)(_\d+)?$`)

// countReasons returns the number of columns of reasons at the end of a result.
func countReasons(names []string) int {
	if len(names) == 0 {
		return 0
	}
	parts := reasonColumnPattern.FindStringSubmatch(names[len(names)-1])
	if parts == nil {
		return 0
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n > len(names) {
		return 0
	}
	return n
}

// checkNextRow reads the next row of the result and of the blind file, and checks the row of the
// result. found is false if both files have ended.
func (v *verifier) checkNextRow(ctx context.Context) (found bool, err error) {
	want, err := v.want.Next(ctx)
	wantEnds := errors.Is(err, io.EOF)
	if err != nil && !wantEnds {
		return false, fmt.Errorf("blind file: %w", err)
	}
	got, err := v.got.Next(ctx)
	gotEnds := errors.Is(err, io.EOF)
	switch {
	case err != nil && !gotEnds:
		return false, err
	case wantEnds && gotEnds:
		return false, nil
	case gotEnds:
		return false, &csvfile.Defect{
			Code: csvfile.CodeRowsDiffer, Line: v.got.NextLine(),
			Message: fmt.Sprintf("the result ends after %s, but the blind file has more rows", humanize.Count(v.rows, "row")),
		}
	case wantEnds:
		return false, &csvfile.Defect{
			Code: csvfile.CodeRowsDiffer, Line: got.Line,
			Message: fmt.Sprintf("the result has more rows than the blind file, which has %s", humanize.Count(v.rows, "row")),
		}
	}
	v.rows++
	for i, cell := range want.Fields {
		if !bytes.Equal(cell, got.Fields[i]) {
			return false, v.newDefect(got, i, csvfile.CodeCellDiffers, "the cell is %s, but %s in line %d of the blind file",
				csvfile.Excerpt(string(got.Fields[i])), csvfile.Excerpt(string(cell)), want.Line)
		}
	}
	return true, v.checkPrediction(got, len(want.Fields))
}

// checkPrediction checks the prediction in a row: the fields in the columns that the prediction
// added. The parameter from is the position of the first of these columns.
func (v *verifier) checkPrediction(row *csvfile.Record, from int) error {
	class, known := v.classes[string(row.Fields[from])]
	if !known {
		return v.newDefect(row, from, csvfile.CodeUnknownClass, "%s is not one of the classes", csvfile.Excerpt(string(row.Fields[from])))
	}
	sum, predicted, stated := 0.0, 0.0, 0.0
	for i := from + 1; i < from+v.added; i++ {
		p, ok := cells.ParseNumber(row.Fields[i])
		if !ok || !(p >= 0 && p <= 1) {
			return v.newDefect(row, i, csvfile.CodeBadProbability, "%s is not a probability", csvfile.Excerpt(string(row.Fields[i])))
		}
		switch i - from - 2 {
		case -1:
			stated = p
			continue
		case int(class):
			predicted = p
		}
		sum += p
	}
	if math.Abs(sum-1) > sumTolerance {
		return v.newDefect(row, from+1, csvfile.CodeBadProbability, "the probabilities of the classes sum to %.6g, not to 1", sum)
	}
	if math.Abs(stated-predicted) > equalityTolerance {
		return v.newDefect(row, from+1, csvfile.CodeBadProbability, "the probability is %g, but the column of the predicted class has %g", stated, predicted)
	}
	return nil
}

func (v *verifier) newDefect(row *csvfile.Record, at int, code, format string, args ...any) error {
	return &csvfile.Defect{
		Code: code, Message: fmt.Sprintf(format, args...),
		Line: row.FieldLine(at, ','), Column: at + 1, Name: v.got.ColumnName(at + 1),
	}
}

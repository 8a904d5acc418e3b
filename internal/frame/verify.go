package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"foretell/internal/humanize"
)

// The tolerances of sums and of equal probabilities. They allow for services that write
// four digits instead of six.
const (
	sumTolerance  = 1e-3
	sameTolerance = 1e-6
)

// Verify checks a prediction result against its blind file: it must have the same rows in
// the same order with all their cells, a known class for each, probabilities that sum to
// 1, and the probability of the predicted class. It returns the number of rows. classes
// defaults to those in the header of the result.
//
// An error that is a *Defect has its location in the result; errors in the blind file
// begin with "blind file".
func Verify(ctx context.Context, blind, result io.Reader, classes []string) (int, error) {
	want, err := openTable(NewReader(blind, ','))
	if err != nil {
		return 0, fmt.Errorf("blind file: %w", err)
	}
	got, err := openTable(NewReader(result, ','))
	if err != nil {
		return 0, err
	}
	v := &verifier{want: want, got: got}
	if err := v.header(classes); err != nil {
		return 0, err
	}
	for {
		more, err := v.row(ctx)
		if err != nil {
			return v.rows, err
		}
		if !more {
			return v.rows, nil
		}
	}
}

// VerifyProbabilities checks a prediction result without its blind file: a known class in
// each row, and probabilities that sum to 1, with that of the predicted class. It returns
// the number of rows. A *Defect has its location.
func VerifyProbabilities(ctx context.Context, result io.Reader, classes []string) (int, error) {
	got, err := openTable(NewReader(result, ','))
	if err != nil {
		return 0, err
	}
	before := max(len(got.names)-len(classes)-2, 0)
	v := &verifier{want: &table{names: got.names[:before]}, got: got}
	if err := v.header(classes); err != nil {
		return 0, err
	}
	for {
		row, err := v.got.next(ctx)
		if errors.Is(err, io.EOF) {
			return v.rows, nil
		}
		if err == nil {
			v.rows++
			err = v.figures(row, before)
		}
		if err != nil {
			return v.rows, err
		}
	}
}

type verifier struct {
	want, got *table
	classes   map[string]int32
	rows      int
}

// header checks the names of the result's columns.
func (v *verifier) header(classes []string) error {
	names := v.want.names
	if classes == nil {
		classes = classesOf(v.got.names, len(names)+2)
	}
	v.classes = indexOf(classes)
	expected := append(names[:len(names):len(names)], AddedColumns(names, classes)...)
	for i, name := range expected {
		if i >= len(v.got.names) {
			d := v.got.defect(CodeColumnsDiffer, i, "the column %s is missing", excerpt(name))
			return &d
		}
		if v.got.names[i] != string(trim([]byte(name))) {
			d := v.got.defect(CodeColumnsDiffer, i, "expected the column %s", excerpt(name))
			return &d
		}
	}
	if extra := len(expected); extra < len(v.got.names) {
		d := v.got.defect(CodeColumnsDiffer, extra, "expected %s, got %d", humanize.Count(extra, "column"), len(v.got.names))
		return &d
	}
	return nil
}

// classesOf returns the classes of the probability columns of a result from a position on.
func classesOf(names []string, from int) []string {
	var classes []string
	for _, name := range names[min(from, len(names)):] {
		classes = append(classes, strings.TrimPrefix(name, probabilityName+"_"))
	}
	return classes
}

// row checks the next row and reports whether there was one.
func (v *verifier) row(ctx context.Context) (bool, error) {
	want, err := v.want.next(ctx)
	wantEnds := errors.Is(err, io.EOF)
	if err != nil && !wantEnds {
		return false, fmt.Errorf("blind file: %w", err)
	}
	got, err := v.got.next(ctx)
	gotEnds := errors.Is(err, io.EOF)
	switch {
	case err != nil && !gotEnds:
		return false, err
	case wantEnds && gotEnds:
		return false, nil
	case gotEnds:
		return false, &Defect{
			Code: CodeRowsDiffer, Line: v.got.reader.nextLine,
			Message: fmt.Sprintf("the result ends after %s, the blind file has more", humanize.Count(v.rows, "row")),
		}
	case wantEnds:
		return false, &Defect{
			Code: CodeRowsDiffer, Line: got.startLine,
			Message: fmt.Sprintf("the blind file has only %s", humanize.Count(v.rows, "row")),
		}
	}
	v.rows++
	for i, cell := range want.fields {
		if !bytes.Equal(cell, got.fields[i]) {
			return false, v.defect(got, i, CodeCellDiffers, "%s, but %s in line %d of the blind file",
				excerpt(string(got.fields[i])), excerpt(string(cell)), want.startLine)
		}
	}
	return true, v.figures(got, len(want.fields))
}

// figures checks the added columns of a row.
func (v *verifier) figures(row *Record, from int) error {
	class, known := v.classes[string(row.fields[from])]
	if !known {
		return v.defect(row, from, CodeUnknownClass, "%s is not one of the classes", excerpt(string(row.fields[from])))
	}
	sum, predicted, stated := 0.0, 0.0, 0.0
	for i := from + 1; i < len(row.fields); i++ {
		p, ok := parseNumber(row.fields[i])
		if !ok || !(p >= 0 && p <= 1) {
			return v.defect(row, i, CodeBadProbability, "%s is not a probability", excerpt(string(row.fields[i])))
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
		return v.defect(row, from+1, CodeBadProbability, "the probabilities of the classes sum to %.6g, not to 1", sum)
	}
	if math.Abs(stated-predicted) > sameTolerance {
		return v.defect(row, from+1, CodeBadProbability, "%g, but the predicted class has %g", stated, predicted)
	}
	return nil
}

func (v *verifier) defect(row *Record, at int, code, format string, args ...any) error {
	return &Defect{
		Code: code, Message: fmt.Sprintf(format, args...),
		Line: row.fieldLine(at, ','), Column: at + 1, Name: v.got.name(at + 1),
	}
}

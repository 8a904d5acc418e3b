package prediction

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/receipt"
	"foretell/internal/scoring"
)

// scoreFiles are the files that a scoring command reads. The flags in layout describe the file of
// the true labels (the answers). If a command has no answers, they describe the predictions.
type scoreFiles struct {
	factory    *cli.Factory
	layout     *preflight.LayoutFlags
	hasAnswers bool
	inputs     map[scoring.FileRole]*preflight.InputTable
	close      []func() error
}

// open opens a file; - is standard input.
func (s *scoreFiles) open(ctx context.Context, file scoring.FileRole, path string) (io.Reader, error) {
	layout := s.layout
	if s.hasAnswers && file != scoring.Answers {
		layout = layout.ForPredictions()
	}
	in, err := layout.OpenInput(ctx, s.factory, true, path)
	if err != nil {
		return nil, err
	}
	s.close = append(s.close, in.Close)
	reader, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	s.close = append(s.close, reader.Close)
	if s.inputs == nil {
		s.inputs = map[scoring.FileRole]*preflight.InputTable{}
	}
	s.inputs[file] = in
	return reader, nil
}

// Close closes all files in reverse order.
func (s *scoreFiles) Close() {
	for i := len(s.close) - 1; i >= 0; i-- {
		_ = s.close[i]() // an error does no harm: the files were only read
	}
}

// names lists the names of the open files, in the order of [scoring.FileRole].
func (s *scoreFiles) names() string {
	var names []string
	for _, file := range slices.Sorted(maps.Keys(s.inputs)) {
		names = append(names, s.inputs[file].Name)
	}
	return strings.Join(names, " and ")
}

// fileError adds the name of the file and a hint to a [scoring.Fault]. It returns any other err
// unchanged.
func (s *scoreFiles) fileError(err error) error {
	var fault *scoring.Fault
	if !errors.As(err, &fault) {
		return err
	}
	in := s.inputs[fault.File]
	if in == nil {
		e := exit.Errorf(exit.Rejected, "%s do not match: %w", s.names(), err)
		if fault.Hint != "" {
			return e.WithHint("%s", fault.Hint)
		}
		return e.WithHint("use files with the same rows, or choose the column of the row IDs with --id; see `%s --help`", s.factory.Running.CommandPath())
	}
	place := in.Name
	if fault.Line > 0 {
		place += ":" + strconv.Itoa(fault.Line)
	}
	e := exit.Errorf(exit.Rejected, "%s: %w", place, err).At(in.Name, fault.Line, 0)
	if fault.Hint != "" {
		return e.WithHint("%s", fault.Hint)
	}
	return e.WithHint("choose the columns with --id and --label, or join the rows by their order with --in-order; see `%s --help`", s.factory.Running.CommandPath())
}

// readReceiptOf returns the receipt of a file of predictions. It returns nil if the file has no
// receipt, as for predictions of other programs. If the file has changed since the receipt was
// written, readReceiptOf also returns nil, and prints a note.
func readReceiptOf(ctx context.Context, predictions string, o *cli.Output) *receipt.Receipt {
	path := receipt.Path(predictions)
	rec, err := receipt.Read(path)
	if err != nil {
		return nil
	}
	file, err := os.Open(predictions)
	if err != nil {
		return nil // reading the predictions returns the error
	}
	defer file.Close()
	var changed *receipt.LineDifference
	err = rec.CheckDigest(ctx, file)
	if errors.As(err, &changed) {
		o.Note("the receipt %s is ignored, because %s has changed since the receipt was written", path, predictions)
	}
	if err != nil {
		return nil
	}
	return rec
}

// noteJoinByOrder prints a note that the rows of the two files were joined by their order, with the
// reason. If reason is "", the rows were joined by their IDs, and it prints nothing.
func noteJoinByOrder(o *cli.Output, reason string) {
	if reason != "" {
		o.Note("the rows were joined by their order, because %s", reason)
	}
}

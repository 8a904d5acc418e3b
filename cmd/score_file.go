package cmd

import (
	"context"
	"errors"
	"io"
	"strconv"

	"foretell/internal/scoring"
)

// scoreFiles are the files that a scoring command reads.
type scoreFiles struct {
	host   *factory
	layout *layoutFlags
	inputs map[scoring.File]*input
	close  []func() error
}

// open opens a file; - is standard input.
func (s *scoreFiles) open(ctx context.Context, file scoring.File, path string) (io.Reader, error) {
	in, err := s.layout.openInput(ctx, s.host, true, path)
	if err != nil {
		return nil, err
	}
	s.close = append(s.close, in.Close)
	reader, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	s.close = append(s.close, reader.Close)
	if s.inputs == nil {
		s.inputs = map[scoring.File]*input{}
	}
	s.inputs[file] = in
	return reader, nil
}

// Close closes what was opened, the last first.
func (s *scoreFiles) Close() {
	for i := len(s.close) - 1; i >= 0; i-- {
		_ = s.close[i]() // they were only read
	}
}

// fileError adds the file to a fault.
func (s *scoreFiles) fileError(err error) error {
	var fault *scoring.Fault
	if !errors.As(err, &fault) {
		return err
	}
	in := s.inputs[fault.File]
	if in == nil {
		e := exitErrorf(ExitRejected, "the files do not match: %w", err)
		return e.withHint("name the column to join by with --id; see `%s --help`", s.host.running.CommandPath())
	}
	place := in.name
	if fault.Line > 0 {
		place += ":" + strconv.Itoa(fault.Line)
	}
	e := exitErrorf(ExitRejected, "%s: %w", place, err).at(in.name, fault.Line, 0)
	return e.withHint("name the columns with --id and --label; see `%s --help`", s.host.running.CommandPath())
}

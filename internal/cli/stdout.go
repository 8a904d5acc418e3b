package cli

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"foretell/internal/exit"
)

// Stdout is the standard output of a command. It keeps the error of the first write that failed,
// because most functions that print lines ignore errors. If the reader of a pipe has ended, it
// cancels the command.
type Stdout struct {
	file *os.File
	stop func() // cancels the command

	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (s *Stdout) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
			if errors.Is(err, syscall.EPIPE) {
				s.stop()
			}
		}
	}
	return n, err
}

// Err returns the error of the first write that failed, or nil.
func (s *Stdout) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// stopOnBrokenPipe cancels the command because the reader of its output has ended.
func (f *Factory) stopOnBrokenPipe() {
	if f.Cancel != nil {
		f.Cancel(&exit.InterruptError{Signal: syscall.SIGPIPE})
	}
}

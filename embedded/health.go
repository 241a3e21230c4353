package embedded

import (
	"errors"
	"fmt"
	"strings"
)

// Health says why the store cannot be relied on, or nil. [ErrWriteStuck] means that it must be
// closed and opened again, after space was made where it is an [ErrNoSpace] as well. It costs some
// microseconds; once in half a minute is enough.
func (s *Server) Health() error {
	if s.stream != nil && s.stream.sync != nil {
		if err := s.stream.sync.err(); err != nil {
			return err
		}
		if p := s.stream.stuck.Load(); p != nil {
			return *p
		}
	}
	if err := s.healthz(); err != nil {
		return err
	}
	if !exists(s.opts.msgsDir()) {
		last := uint64(0)
		if s.stream != nil {
			last, _ = s.stream.Last()
		}
		return &DamageError{What: "its files were removed while it was in use", FirstSeq: 1, LastSeq: last, Gone: true}
	}
	return nil
}

func (s *Server) healthz() error {
	h := s.srv.Healthz(nil)
	if h.Status == "ok" {
		return nil
	}
	err := classify(errors.New(h.Error))
	if strings.Contains(h.Error, "write error") {
		return fmt.Errorf("%w: %w", ErrWriteStuck, err)
	}
	return fmt.Errorf("server: %w", err)
}

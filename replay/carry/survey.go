package carry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

// survey is what the first reading of a file tells.
type survey struct {
	Imported
	known   []bool // by the event's place in the file: the log has it
	trouble error  // the file is not whole
}

// surveyed surveys a file and refuses one that is not whole, unless a part will do.
func surveyed(ctx context.Context, path string, partial bool, log ImportLog, progress func(uint64)) (survey, error) {
	s, err := surveyOf(ctx, path, log, progress)
	switch {
	case err != nil:
		return s, fileProblem(path, err)
	case s.trouble != nil && !partial:
		p := fileProblem(path, s.trouble)
		p.Message += "; nothing was imported"
		p.Hint = "--partial takes the " + countOf(s.Events, "event") + " before that"
		return s, p
	}
	return s, nil
}

// surveyOf reads the whole file and looks its ids up in the log.
func surveyOf(ctx context.Context, path string, log ImportLog, progress func(uint64)) (survey, error) {
	s := survey{Imported: Imported{File: path, Unknown: map[string]int{}}}
	places := map[string]int{}
	lookUp := func() error {
		ids := make(map[string]struct{}, len(places))
		for id := range places {
			ids[id] = struct{}{}
		}
		found, err := log.FindIDs(ctx, 1, ids)
		for id := range found {
			s.known[places[id]] = true
		}
		s.Known += uint64(len(found))
		clear(places)
		return err
	}
	err := readExport(path, func(r *Reader) error {
		s.Build = r.Header().Build
		for {
			item, err := r.Next()
			if err == nil {
				err = ctx.Err()
			}
			s.Events, s.Blobs = r.Read()
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case errors.Is(err, ErrTruncated), errors.Is(err, ErrDamaged):
				s.trouble = err
				return nil
			case err != nil:
				return err
			case item.Event == nil:
				continue
			}
			_, twice := places[item.Event.ID]
			s.known = append(s.known, twice)
			if twice {
				s.Known++
			} else {
				places[item.Event.ID] = len(s.known) - 1
			}
			progress(s.Events)
			if len(places) == lookUpAtOnce {
				if err := lookUp(); err != nil {
					return err
				}
			}
		}
	})
	return s, errors.Join(err, lookUp())
}

func readExport(path string, fn func(*Reader) error) error {
	f, err := safeopen.Open(safeopen.Foreign, path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := OpenExport(f)
	if err != nil {
		return err
	}
	defer r.Close()
	return fn(r)
}

// fileProblem says what is wrong with a file that a person named.
func fileProblem(path string, err error) *problem.Error {
	var p *problem.Error
	if errors.As(err, &p) {
		return p
	}
	hint := ""
	switch {
	case errors.Is(err, ErrNotExport):
		hint = "`replay export` writes what can be imported"
	case errors.Is(err, ErrNewer):
		hint = "use the build that wrote it, or a newer one"
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return problem.Bad("%v", err)
	}
	return problem.Bad("%s: %v", path, err).Advise(hint)
}

func countOf(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

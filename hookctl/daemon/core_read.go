package daemon

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/replay/past"
)

// What the log and the states have, as everyone reads it: by an id or what a person gave for one, now or at a point of the log.

// readStates returns what fn returns for the states as they are, at one position; the zero value where they cannot be read.
// Maps and slices of a state are for fn alone: the next record may change them.
func readStates[T any](ctx context.Context, c *core, fn func(projector.Reader) T) (out T) {
	_ = c.view.Read(ctx, func(r projector.Reader) error {
		out = fn(r)
		return nil
	})
	return out
}

// stateOf returns the state of one cell, and whether there is one. What it holds in maps and slices may change: see
// [readStates].
func stateOf[S any](ctx context.Context, c *core, table, key string) (s S, found bool) {
	_ = c.view.Read(ctx, func(r projector.Reader) error {
		s, found = projector.State[S](r, table, key)
		return nil
	})
	return s, found
}

// session returns what the log has of a session.
func (c *core) session(ctx context.Context, id string) (session.State, bool) {
	return stateOf[session.State](ctx, c, session.Name, id)
}

// sessionsBy returns the sessions that the session index has under a word, in the order of their ids.
func (c *core) sessionsBy(ctx context.Context, word string) []session.State {
	return readStates(ctx, c, func(r projector.Reader) []session.State {
		return projector.Find[session.State](r, session.Name, word)
	})
}

// liveIDs returns the ids of the live sessions that the session index has under a word, sorted.
func (c *core) liveIDs(ctx context.Context, word string) []string {
	return readStates(ctx, c, func(r projector.Reader) []string { return projector.Lookup(r, session.Name, word) })
}

// onlyIn returns the live session of a project when there is exactly one.
func (c *core) onlyIn(ctx context.Context, project string) string {
	ids := c.liveIDs(ctx, session.AliveIn(project))
	if project == "" || len(ids) != 1 {
		return ""
	}
	return ids[0]
}

// identityIn returns the identity of a session; one that was never observed, or was deleted, is none.
func identityIn(r projector.Reader, session string) (identity.State, bool) {
	s, found := projector.State[identity.State](r, identity.Name, session)
	return s, found && s.Born && !s.Deleted
}

// find returns one record by its id or sequence.
func (c *core) find(ctx context.Context, id string) (events.Record, error) {
	seq, err := strconv.ParseUint(id, 10, 64)
	isID := err != nil || len(id) >= 20
	if isID {
		upper := strings.ToUpper(id) // the digits of a ULID have no case, and every id of ours is written in capitals
		found, err := c.rec.Find(ctx, upper)
		if err == nil && len(found) == 0 { // the clock may have been elsewhere when it was made
			found, err = c.stream.FindIDs(ctx, 1, map[string]struct{}{upper: {}})
		}
		if err != nil {
			return events.Record{}, err
		}
		seq = found[upper]
	}
	rec, err := c.stream.Get(ctx, seq)
	if errors.Is(err, embedded.ErrNoRecord) {
		return rec, problem.Missing("no event %s is in the log", id).Advise("`hookctl events list` shows the newest")
	}
	return rec, err
}

// resolveSession takes a full id or a prefix of it; a prefix of several is an error that lists them.
func (c *core) resolveSession(ctx context.Context, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	var ids []string
	err := c.view.Read(ctx, func(r projector.Reader) (err error) {
		ids, err = alike(r, session.Name, []string{given})
		return err
	})
	if err != nil {
		return "", err
	}
	return theOne("session", "`hookctl session list --all` lists them", given, ids)
}

// resolveProject takes an id or its beginning, a name or a path.
func (c *core) resolveProject(ctx context.Context, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	var ids []string
	err := c.view.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(project.Name)
		if slices.Contains(keys, given) {
			keys = []string{given}
		}
		for _, k := range keys {
			s, _ := projector.State[project.State](r, project.Name, k)
			begins := len(given) >= 4 && strings.HasPrefix(k, given)
			named := s.Name == given || s.Path == given
			if k == given || begins || named {
				ids = append(ids, k)
			}
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return theOne("project", "`hookctl project list` lists them", given, ids)
}

// alike returns the keys that begin with one of the words, dashes left out. A word that is a key means that one alone, and
// the keys are not listed for it.
func alike(rd projector.Reader, table string, words []string) ([]string, error) {
	var found, begins []string
	for _, word := range words {
		if _, _, whole := rd.Raw(table, word); whole {
			found = append(found, word)
		} else {
			begins = append(begins, undashed(word))
		}
	}
	if len(begins) == 0 {
		return found, nil
	}

	keys, err := rd.Keys(table)
	for _, k := range keys {
		if slices.ContainsFunc(begins, func(word string) bool { return strings.HasPrefix(undashed(k), word) }) {
			found = append(found, k)
		}
	}
	return found, err
}

func undashed(id string) string { return strings.ReplaceAll(id, "-", "") }

// theOne returns the only id that was meant; none and several are errors.
func theOne(noun, hint, given string, ids []string) (string, error) {
	slices.Sort(ids)
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", problem.Missing("there is no %s %q", noun, given).Advise(hint)
	}
	return "", problem.Conflict("%q is ambiguous: %s", given, strings.Join(ids, ", ")).Advise("give more characters")
}

// past returns the log and its states at any point.
func (c *core) past() past.View {
	last, _ := c.stream.Last()
	return past.View{Log: c.stream, Last: last, Now: c.opts.Now, Session: c.resolveSession}
}

// seqAppended returns the sequence at a point of the log; for a time it is the first record appended at or after it.
func (c *core) seqAppended(ctx context.Context, p past.Point) (uint64, error) {
	if seq, ok := p.Seq(); ok {
		return max(seq, 1), nil
	}
	t, err := p.Time(c.opts.Now())
	if err != nil {
		return 0, err
	}
	return c.stream.SeqAtTime(ctx, t)
}

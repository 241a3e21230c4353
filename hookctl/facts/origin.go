package facts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Origin tells one repository from another wherever its folder lies.
type Origin struct {
	RootCommit string // first commit of the history, hex; empty without commits and in a shallow clone
	Remote     string // URL of the remote "origin" without credentials; empty without one
}

// origin is an Origin with what it depends on.
type origin struct {
	value Origin
	marks []mark
}

// ErrNoRepository says that a path is no git directory.
var ErrNoRepository = errors.New("no git directory")

// Origin reads where the repository with this common directory comes from. The root commit is the
// oldest commit without parents that any branch, remote branch or tag leads to; of several equally
// old ones the bytewise smallest. A shallow clone does not know its root. The answer is remembered,
// so that git runs once for a repository (again when its config changes), and concurrent questions about one share a run, which ends with the context of the first; a
// repository without commits is asked again each time. The walk takes time in proportion to the
// history (about a second for 200,000 commits without a commit graph), ctx bounds it.
func (w *World) Origin(ctx context.Context, commonDir string) (Origin, error) {
	answered := w.asking.DoChan(commonDir, func() (any, error) {
		if known, ok := w.origins.get(commonDir); ok {
			if same, err := unchanged(known.marks); same && err == nil {
				return known.value, nil
			}
		}
		return w.askOrigin(ctx, commonDir)
	})
	select {
	case a := <-answered:
		return a.Val.(Origin), a.Err
	case <-ctx.Done():
		w.asking.Forget(commonDir) // the next one asks anew
		return Origin{}, fmt.Errorf("read origin of %s: %w", commonDir, ctx.Err())
	}
}

// askOrigin answers from scratch and remembers a complete answer.
func (w *World) askOrigin(ctx context.Context, commonDir string) (Origin, error) {
	var s search
	head, err := s.head(commonDir)
	if err != nil || head == "" {
		return Origin{}, fmt.Errorf("read origin of %s: %w", commonDir, errors.Join(ErrNoRepository, err))
	}
	next := &origin{}
	for _, path := range []string{commonDir, filepath.Join(commonDir, "config"), filepath.Join(commonDir, "shallow")} {
		m, err := look(path, false)
		if err != nil {
			return Origin{}, fmt.Errorf("read origin of %s: %w", commonDir, err)
		}
		// Unlike HEAD these are compared by stat data alone: an origin is no news of the hook's, and
		// a clone is asked about within the settling time of its config.
		m.settled = true
		next.marks = append(next.marks, m)
	}
	if next.value.Remote, err = w.remote(ctx, commonDir); err != nil {
		return Origin{}, fmt.Errorf("read remote of %s: %w", commonDir, err)
	}
	if next.value.RootCommit, err = w.root(ctx, commonDir, next.marks[2]); err != nil {
		return Origin{}, fmt.Errorf("read root commit of %s: %w", commonDir, err)
	}
	if next.value.RootCommit != "" {
		w.origins.put(commonDir, next)
	}
	return next.value, nil
}

// root finds the root commit. Notes, the stash and replacements are histories of their own.
func (w *World) root(ctx context.Context, commonDir string, shallow mark) (string, error) {
	if shallow.info != nil && shallow.info.Size() > 0 {
		return "", nil
	}
	out, err := w.exec(ctx, commonDir, "--git-dir="+commonDir, "rev-list", "--timestamp", "--max-parents=0",
		"--exclude=refs/notes/*", "--exclude=refs/stash", "--exclude=refs/replace/*", "--all")
	if err != nil {
		return "", err
	}
	return oldest(string(out))
}

// oldest picks from lines "<unix seconds> <commit>".
func oldest(lines string) (string, error) {
	var best string
	var when int64
	for line := range strings.Lines(lines) {
		stamp, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		t, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil || !isHash(hash) {
			return "", fmt.Errorf("git said %.80q", line)
		}
		if best == "" || t < when || t == when && hash < best {
			best, when = hash, t
		}
	}
	return best, nil
}

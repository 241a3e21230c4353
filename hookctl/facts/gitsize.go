package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/hookctl/safeopen"
)

// gitWithin bounds each run of git, and all of them for the size of a branch.
const gitWithin = 3 * time.Second

// failedFor is how long a question that git did not answer is not asked again: every call would wait.
const failedFor = 10 * time.Second

// Bounds of what is read of files that git does not know: what is above is not counted, and far above
// any threshold by then.
const (
	maxUntrackedFiles = 10_000
	maxUntrackedBytes = 64 << 20
)

// Lines is what changed: lines that came and lines that went.
type Lines = struct{ Insertions, Deletions int }

// Size is how much a branch differs from where it left its base, and its work tree from that.
type Size struct {
	Committed, Staged, Unstaged Lines  // lines of untracked files are unstaged insertions
	Base                        string // the ref it is compared with, e.g. origin/main
}

// SizeQuery asks for the size of the branch that is checked out in a work tree.
type SizeQuery struct {
	Worktree string        // its top
	Branch   string        // short name
	Base     string        // ref to compare with; "" = the default branch
	TTL      time.Duration // how old a remembered answer may be
}

// ErrNoBase says that a branch has no size: it is the default branch itself, or there is none to compare with.
var ErrNoBase = errors.New("nothing to compare the branch with")

// ErrUnknownBase says that the ref which a size was to be measured from does not exist: a slip in the configuration,
// or a branch that was not fetched.
var ErrUnknownBase = errors.New("the base does not exist")

type measured struct {
	size Size
	err  error
	at   time.Time
}

// SizeOf measures a branch, in at most three seconds, and remembers the answer. What git did not answer is an error and
// remembered for ten seconds. Questions that are asked at the same time are one.
func (w *World) SizeOf(ctx context.Context, q SizeQuery) (Size, error) {
	key := q.Worktree + "\x00" + q.Branch + "\x00" + q.Base
	v, err, _ := w.asking.Do(key, func() (any, error) {
		m, ok := w.sizes.Get(key)
		ttl := q.TTL
		if m.err != nil && !errors.Is(m.err, ErrNoBase) {
			ttl = failedFor
		}
		if age := w.now().Sub(m.at); ok && age >= 0 && age < ttl {
			return m.size, m.err
		}

		ctx, cancel := context.WithTimeout(ctx, gitWithin)
		defer cancel()
		size, err := w.measure(ctx, q)
		w.sizes.Put(key, measured{size: size, err: err, at: w.now()})
		return size, err
	})
	return v.(Size), err
}

// git runs one command, for at most three seconds.
func (w *World) git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWithin)
	defer cancel()
	out, err := w.exec(ctx, dir, args...)
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// withoutFilters are the settings by which git looks at files as they lie there, without the programs that the
// repository's configuration names as filters. A file that a filter changes then counts as changed once it was touched.
func (w *World) withoutFilters(ctx context.Context, dir string) ([]string, error) {
	out, err := w.git(ctx, dir, "config", "--name-only", "-z", "--get-regexp", `^filter\..*\.(clean|smudge|process)$`)
	if err != nil && exitCode(err) != 1 { // 1: there is none
		return nil, err
	}
	var off []string
	for key := range strings.SplitSeq(string(out), "\x00") {
		i := strings.LastIndex(key, ".")
		switch {
		case i < 0:
			continue
		case strings.Contains(key, "="):
			return nil, fmt.Errorf("the filter %q cannot be switched off", key[:i])
		}
		off = append(off, "-c", key+"=", "-c", key[:i]+".required=false")
	}
	return off, nil
}

func (w *World) measure(ctx context.Context, q SizeQuery) (Size, error) {
	base, err := w.base(ctx, q)
	if err != nil {
		return Size{}, err
	}
	off, err := w.withoutFilters(ctx, q.Worktree)
	if err != nil {
		return Size{}, err
	}
	size := Size{Base: base}
	for _, part := range []struct {
		into *Lines
		args []string
	}{
		{&size.Committed, []string{base + "...HEAD"}}, // three dots: from the merge base
		{&size.Staged, []string{"--cached"}},
		{&size.Unstaged, nil},
	} {
		diff := slices.Concat(off, []string{"diff", "--shortstat", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}, part.args, []string{"--"})
		out, err := w.git(ctx, q.Worktree, diff...)
		switch {
		case err == nil:
			*part.into = shortstat(string(out))
		case exitCode(err) != -1: // git's own no, as of histories that share nothing: nothing to count
		default:
			return Size{}, err
		}
	}
	n, err := w.untracked(ctx, q.Worktree)
	size.Unstaged.Insertions += n
	return size, err
}

// base returns the ref to compare with: the configured one, else what origin calls its default, else the
// first that exists of origin/main, origin/master, main, master.
func (w *World) base(ctx context.Context, q SizeQuery) (string, error) {
	if q.Branch == "main" || q.Branch == "master" {
		return "", ErrNoBase
	}
	if q.Base != "" {
		if err := w.Exists(ctx, q.Worktree, q.Base); err != nil {
			return "", err
		}
		return own(q.Base, q.Branch)
	}
	out, err := w.git(ctx, q.Worktree, "for-each-ref", "--format=%(refname) %(symref:short)", "refs/remotes/origin/HEAD", "refs/remotes/origin/main",
		"refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")
	if err != nil {
		if exitCode(err) != -1 { // git's own no
			err = ErrNoBase
		}
		return "", err
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, target, _ := strings.Cut(strings.TrimSpace(line), " ")
		found[name] = target
	}
	if target := found["refs/remotes/origin/HEAD"]; target != "" {
		return own(target, q.Branch)
	}
	for _, name := range []string{"refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		if _, ok := found[name]; ok {
			return own(strings.TrimPrefix(strings.TrimPrefix(name, "refs/remotes/"), "refs/heads/"), q.Branch)
		}
	}
	return "", ErrNoBase
}

// Exists returns nil where a ref names a commit, [ErrUnknownBase] where git has none of that name.
func (w *World) Exists(ctx context.Context, dir, ref string) error {
	if strings.HasPrefix(ref, "-") { // an option
		return ErrUnknownBase
	}
	_, err := w.git(ctx, dir, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if exitCode(err) != -1 {
		return ErrUnknownBase
	}
	return err
}

// own returns base, and an error where the branch would be compared with itself.
func own(base, branch string) (string, error) {
	if base == branch || base == "origin/"+branch {
		return "", ErrNoBase
	}
	return base, nil
}

var shortstats = regexp.MustCompile(`(?:(\d+) insertions?\(\+\))?(?:, )?(?:(\d+) deletions?\(-\))?\s*$`)

// shortstat reads " 3 files changed, 10 insertions(+), 2 deletions(-)"; either number may be missing.
func shortstat(text string) Lines {
	var l Lines
	if m := shortstats.FindStringSubmatch(text); m != nil {
		l.Insertions, _ = strconv.Atoi(m[1]) // a missing one is 0
		l.Deletions, _ = strconv.Atoi(m[2])
	}
	return l
}

// untracked counts the lines of the files that git does not know and does not ignore.
func (w *World) untracked(ctx context.Context, worktree string) (int, error) {
	out, err := w.git(ctx, worktree, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return 0, err
	}
	lines, left := 0, int64(maxUntrackedBytes)
	for i, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "" || i >= maxUntrackedFiles || left <= 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, read := countLines(filepath.Join(worktree, name), left)
		lines, left = lines+n, left-read
	}
	return lines, nil
}

// countLines counts as a text editor does: a last line without a newline is one. What cannot be read
// counts nothing, nor does what is no file.
func countLines(file string, limit int64) (lines int, read int64) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return 0, 0
	}
	f, err := safeopen.Open(safeopen.Foreign, file)
	if err != nil {
		return 0, 0
	}
	defer f.Close() // opened for reading, nothing to lose
	buf, last := make([]byte, 64<<10), byte('\n')
	for r := io.LimitReader(f, limit); ; {
		n, err := r.Read(buf)
		lines += bytes.Count(buf[:n], []byte("\n"))
		if n > 0 {
			last = buf[n-1]
		}
		if read += int64(n); err != nil {
			break
		}
	}
	if last != '\n' {
		lines++
	}
	return lines, read
}

// Dirty counts the tracked files of a work tree with changes that are not committed; files that git
// does not know do not count, nor do changes inside of submodules.
func (w *World) Dirty(ctx context.Context, worktree string) (int, error) {
	off, err := w.withoutFilters(ctx, worktree)
	if err != nil {
		return 0, err
	}
	out, err := w.git(ctx, worktree, append(off, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")...)
	return bytes.Count(out, []byte("\n")), err
}

// Head returns the commit that a work tree's HEAD is at; "" before the first one.
func (w *World) Head(ctx context.Context, worktree string) (string, error) {
	out, err := w.git(ctx, worktree, "rev-parse", "--verify", "--quiet", "HEAD")
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Branches lists the local branches of a repository by their short names.
func (w *World) Branches(ctx context.Context, dir string) ([]string, error) {
	out, err := w.git(ctx, dir, "for-each-ref", "--format=%(refname)", "refs/heads")
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		list = append(list, strings.TrimPrefix(strings.TrimSpace(line), "refs/heads/"))
	}
	return list, nil
}

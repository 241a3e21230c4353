package facts

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// maxPointer bounds the small files that name another path or ref (.git, commondir, HEAD): a path
// has at most 4096 bytes.
const maxPointer = 8 << 10

// repository is what a search upwards found.
type repository struct {
	gitDir   string // holds HEAD: of the work tree
	worktree string
	known
}

// known is what a git directory says.
type known struct {
	head   string // what HEAD says: the full name of a ref, or the commit when detached; "" for no git directory
	common string // git's common directory
	file   os.FileInfo
}

// settled is how long a file has been left alone when its time and size are trusted to show the next change: clocks of
// file systems are coarse.
const settled = 2 * time.Second

// around returns the repository around dir, nil for none. A .git file that leads nowhere hides the levels above, as it does
// for git.
func (w *World) around(dir string) (*repository, error) {
	for {
		gitDir := filepath.Join(dir, ".git")
		info, err := stat(gitDir)
		if err != nil {
			return nil, err
		}
		isFile := info != nil && !info.IsDir()
		if isFile {
			if gitDir, err = readPointer(gitDir, "gitdir:"); err != nil {
				return nil, nil //nolint:nilerr // it leads nowhere
			}
		}
		k, err := w.gitAt(gitDir)
		if k.head != "" || err != nil {
			return &repository{gitDir: gitDir, worktree: dir, known: k}, err
		}
		up := filepath.Dir(dir)
		if isFile || up == dir {
			return nil, nil
		}
		dir = up
	}
}

// gitAt reads what may be a git directory. By git's own measure it is one that has a valid HEAD beside objects and refs.
// What it said is kept as long as HEAD is the same file of the same time: most hooks find it so.
func (w *World) gitAt(gitDir string) (known, error) {
	path := filepath.Join(gitDir, "HEAD")
	info, err := os.Lstat(path)
	if absent(err) {
		return known{}, nil
	}
	if err != nil {
		return known{}, err
	}
	if k, ok := w.heads.Get(gitDir); ok && os.SameFile(k.file, info) && k.file.ModTime().Equal(info.ModTime()) && k.file.Size() == info.Size() {
		return k, nil
	}

	k := known{file: info}
	if k.head, err = readHead(path, info); err != nil {
		return known{}, nil //nolint:nilerr // it is no HEAD
	}
	k.common, err = readPointer(filepath.Join(gitDir, "commondir"), "")
	if absent(err) { // not the git directory of a linked work tree
		k.common, err = gitDir, nil
	}
	if err != nil {
		return known{}, nil //nolint:nilerr // it is no git directory
	}
	for _, part := range [...]string{"objects", "refs"} {
		info, err := stat(filepath.Join(k.common, part))
		if err != nil || info == nil {
			return known{}, err
		}
	}
	if w.now().Sub(info.ModTime()) > settled {
		w.heads.Put(gitDir, k)
	}
	return k, nil
}

// readPointer reads a file that holds a path, relative to the file's own directory.
func readPointer(file, prefix string) (string, error) {
	b, err := readSmall(file, maxPointer)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	path = strings.TrimLeft(path, " ")
	if !ok || path == "" {
		return "", errors.New("no " + prefix + " in " + file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), nil
}

// readHead reads HEAD: the full name of a ref, or a commit. Where HEAD is a symbolic link, as in
// very old repositories, its target is the ref.
func readHead(path string, info os.FileInfo) (string, error) {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil || !isRef(target) {
			return "", errors.New("HEAD links to no ref")
		}
		return target, nil
	}
	b, err := readSmall(path, maxPointer)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(b), " \t\r\n")
	ref, named := strings.CutPrefix(text, "ref:")
	ref = strings.TrimLeft(ref, " \t")
	if named && !isRef(ref) || !named && !hash.MatchString(text) {
		return "", errors.New("HEAD is neither ref nor commit")
	}
	return ref, nil
}

// isRef reports whether git can have made a name: without control characters, which would stand in our texts.
func isRef(s string) bool {
	return strings.HasPrefix(s, "refs/") && !strings.ContainsFunc(s, unicode.IsControl)
}

// hash is the hex of a SHA-1 or a SHA-256.
var hash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// reftableHead is what the file HEAD says where refs, HEAD among them, are kept in a reftable
// (git 2.45 and later): a ref that cannot exist, for programs that read the file.
const reftableHead = "refs/heads/.invalid"

// Limits of the question to git that a reftable needs: the hook waits for it, and an answer that
// did not come is asked for again only after a while.
const (
	reftableWait  = 50 * time.Millisecond
	reftableRetry = 10 * time.Second
)

// maxTables bounds the list of tables; git merges tables long before there are 1000.
const maxTables = 64 << 10

// reftable is what git said last of a reftable.
type reftable struct {
	tables string    // the list of tables that it was asked for
	head   string    // "" when detached
	again  time.Time // ask again then, although nothing changed; zero: never
}

// reftableHead returns HEAD as git has it, once for every state of the reftable. When git does not answer in time the head
// that was known stays, and git is asked again after a while.
func (w *World) reftableHead(gitDir string) (string, error) {
	tables, err := readSmall(filepath.Join(gitDir, "reftable", "tables.list"), maxTables)
	if err != nil && !absent(err) {
		return "", err
	}
	known, asked := w.reftables.Get(gitDir)
	if asked && known.tables == string(tables) && (known.again.IsZero() || w.now().Before(known.again)) {
		return known.head, nil
	}

	ctx, cancel := context.WithTimeout(context.Background(), reftableWait)
	defer cancel()
	out, err := w.exec(ctx, gitDir, "--git-dir="+gitDir, "symbolic-ref", "--quiet", "HEAD")
	next := reftable{tables: string(tables), head: strings.TrimSpace(string(out))}
	if err != nil && exitCode(err) != 1 { // 1: detached
		next.head = known.head
		next.again = w.now().Add(reftableRetry)
	}
	w.reftables.Put(gitDir, next)
	return next.head, nil
}

package facts

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

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
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		if ref = strings.TrimLeft(ref, " \t"); isRef(ref) {
			return ref, nil
		}
		return "", errors.New("HEAD names no ref")
	}
	if !isHash(text) {
		return "", errors.New("HEAD is neither ref nor commit")
	}
	return text, nil
}

// isRef tells a name that git can have made: without control characters, which would stand in our texts.
func isRef(s string) bool {
	return strings.HasPrefix(s, "refs/") && !strings.ContainsFunc(s, unicode.IsControl)
}

// isHash tells the hex of a SHA-1 or a SHA-256.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// branchOf is the short name of a branch; a ref that is no branch counts as detached.
func branchOf(head string) string {
	name, ok := strings.CutPrefix(head, "refs/heads/")
	if !ok {
		return ""
	}
	return name
}

// askReftable asks git for HEAD, once for every state of the reftable. When git does not answer in
// time the last known branch stays and the question is put again after a while.
func (w *World) askReftable(a *answer, gitDir string, s *search, last *answer) error {
	list := filepath.Join(gitDir, "reftable", "tables.list")
	if _, err := s.see(list, false); err != nil {
		return err
	}
	tables, err := readSmall(list, maxTables)
	if err != nil && !absent(err) {
		return err
	}
	a.tables, a.place.Head = string(tables), ""
	if last != nil && last.place.CommonDir == a.place.CommonDir {
		a.place.Head, a.place.Branch = last.place.Head, last.place.Branch
		if last.tables == a.tables && (last.again.IsZero() || w.now().Before(last.again)) {
			a.again = last.again
			return nil
		}
	}
	head, err := w.symbolicHead(gitDir)
	if err != nil {
		a.again = w.now().Add(reftableRetry)
		return nil //nolint:nilerr // a slow git is no trouble of the hook's
	}
	a.place.Head, a.place.Branch = head, branchOf(head)
	return nil
}

// symbolicHead is HEAD as git tells it: a ref, or "" when detached (exit status 1, nothing said).
func (w *World) symbolicHead(gitDir string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), reftableWait)
	defer cancel()
	out, err := w.exec(ctx, gitDir, "--git-dir="+gitDir, "symbolic-ref", "--quiet", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

package facts

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Origin distinguishes one repository from another wherever its folder lies.
type Origin struct {
	RootCommit string // first commit of the history, hex; empty without commits and in a shallow clone
	Remote     string // URL of the remote "origin" without credentials; empty without one
}

// Origin reads where the repository with this common directory comes from. The root commit is the
// oldest commit without parents that any branch, remote branch or tag leads to; of several equally
// old ones the bytewise smallest. A shallow clone does not know its root. Concurrent questions about one repository share a
// run, which ends with the context of the first. The walk takes time in proportion to the history (about a second for
// 200,000 commits without a commit graph), ctx bounds it.
func (w *World) Origin(ctx context.Context, commonDir string) (Origin, error) {
	v, err, _ := w.asking.Do(commonDir, func() (any, error) {
		o, err := w.askOrigin(ctx, commonDir)
		if err != nil {
			return Origin{}, fmt.Errorf("read origin of %s: %w", commonDir, err)
		}
		return o, nil
	})
	return v.(Origin), err
}

func (w *World) askOrigin(ctx context.Context, commonDir string) (Origin, error) {
	git := "--git-dir=" + commonDir
	out, err := w.exec(ctx, commonDir, git, "config", "--get-all", "remote.origin.url")
	if err != nil && exitCode(err) != 1 { // 1: there is no such value
		return Origin{}, err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	o := Origin{Remote: StripCredentials(strings.TrimSpace(first))}

	shallow, err := stat(filepath.Join(commonDir, "shallow"))
	if err != nil || shallow != nil && shallow.Size() > 0 {
		return o, err
	}
	// Notes, the stash and replacements are histories of their own.
	out, err = w.exec(ctx, commonDir, git, "rev-list", "--timestamp", "--max-parents=0",
		"--exclude=refs/notes/*", "--exclude=refs/stash", "--exclude=refs/replace/*", "--all")
	if err == nil {
		o.RootCommit, err = oldest(string(out))
	}
	return o, err
}

// oldest picks from lines "<unix seconds> <commit>".
func oldest(lines string) (string, error) {
	var best string
	var when int64
	for line := range strings.Lines(lines) {
		stamp, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		t, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil || !hash.MatchString(commit) {
			return "", fmt.Errorf("git said %.80q", line)
		}
		if best == "" || t < when || t == when && commit < best {
			best, when = commit, t
		}
	}
	return best, nil
}

// StripCredentials takes user, password and query out of a remote's URL. The user name of ssh stays, in "ssh://git@host/…" as
// in "git@host:…": there it is part of the address and no secret. A remote of another transport ("ext::" is followed by a
// command) is ""; a local path comes back as it is.
func StripCredentials(remote string) string {
	scheme, rest, isURL := strings.Cut(remote, "://")
	if strings.Contains(scheme, "::") {
		return ""
	}
	if !isURL {
		user, host, ssh := strings.Cut(remote, "@")
		if name, _, password := strings.Cut(user, ":"); ssh && password && strings.Contains(host, ":") {
			return name + "@" + host
		}
		return remote
	}

	authority, path, hasPath := strings.Cut(rest, "/")
	user := ""
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		user, _, _ = strings.Cut(authority[:at], ":")
		authority = authority[at+1:]
	}
	if strings.Contains(strings.ToLower(scheme), "ssh") && user != "" {
		authority = user + "@" + authority
	}
	if hasPath {
		authority += "/" + path
	}
	authority, _, _ = strings.Cut(authority, "#")
	authority, _, _ = strings.Cut(authority, "?")
	return scheme + "://" + authority
}

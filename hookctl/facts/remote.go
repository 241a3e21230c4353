package facts

import (
	"context"
	"strings"
)

// remote is the URL of origin without credentials, as git reads it from the configuration and what that includes.
func (w *World) remote(ctx context.Context, commonDir string) (string, error) {
	out, err := w.exec(ctx, commonDir, "--git-dir="+commonDir, "config", "--get-all", "remote.origin.url")
	if err != nil && exitCode(err) != 1 { // 1: there is no such value
		return "", err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return StripCredentials(strings.TrimSpace(first)), nil
}

// StripCredentials takes user, password and query out of a remote's URL. The user name of ssh stays,
// in "ssh://git@host/…" as in "git@host:…": there it is part of the address and no secret. What
// follows "ext::" is a command and is dropped; a local path comes back as it is.
func StripCredentials(remote string) string {
	if helper, rest, ok := strings.Cut(remote, "::"); ok && !strings.ContainsAny(helper, "/@:") {
		if helper == "ext" {
			return "ext::"
		}
		return helper + "::" + StripCredentials(rest)
	}
	scheme, rest, ok := strings.Cut(remote, "://")
	if !ok {
		return stripUser(remote)
	}
	at := endOfUser(rest) // before the query is cut off: an unescaped password may hold "?" and "#"
	user, _, _ := strings.Cut(rest[:max(at, 0)], ":")
	rest = rest[at+1:]
	if strings.Contains(strings.ToLower(scheme), "ssh") {
		if user != "" {
			rest = user + "@" + rest
		}
		return scheme + "://" + rest
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	return scheme + "://" + rest
}

// endOfUser finds the "@" behind user and password, -1 without. A password with an unescaped "/" in
// it ends at the last "@" of all: what stands before it does not look like host and port.
func endOfUser(rest string) int {
	authority, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return at
	}
	_, port, ok := strings.Cut(authority, ":")
	if ok && strings.Trim(port, "0123456789") != "" && !strings.HasPrefix(authority, "[") {
		return strings.LastIndexByte(rest, '@')
	}
	return -1
}

// stripUser handles "user@host:path", where a password has no place but may have been written.
func stripUser(remote string) string {
	at := strings.LastIndexByte(remote, '@')
	colon := strings.IndexByte(remote, ':')
	if at < 0 || colon < 0 || colon > at || strings.ContainsRune(remote[:colon], '/') ||
		!strings.ContainsRune(remote[at:], ':') {
		return remote
	}
	return remote[:colon] + remote[at:]
}

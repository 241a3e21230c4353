package facts

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// maxConfig bounds the config file that is read here; a larger one is left to git.
const maxConfig = 1 << 20

// errNotPlain says that a config file needs git itself to be understood.
var errNotPlain = errors.New("not plain")

// remote is the URL of origin without credentials, read from the config file; git is asked only
// where that file includes others or continues values over lines.
func (w *World) remote(ctx context.Context, commonDir string) (string, error) {
	b, err := readSmall(filepath.Join(commonDir, "config"), maxConfig)
	if err == nil {
		var url string
		if url, err = originURL(string(b)); err == nil {
			return StripCredentials(url), nil
		}
	}
	if absent(err) {
		return "", nil
	}
	out, err := w.exec(ctx, commonDir, "--git-dir="+commonDir, "config", "--get-all", "remote.origin.url")
	if err != nil && exitCode(err) != 1 { // 1: there is no such value
		return "", err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return StripCredentials(strings.TrimSpace(first)), nil
}

// originURL finds the first url of [remote "origin"] in the text of a config file.
func originURL(text string) (string, error) {
	var url string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, ok := strings.Cut(line, "]")
			section := strings.ToLower(strings.TrimSpace(head[1:]))
			if !ok || strings.HasPrefix(section, "include") {
				return "", errNotPlain
			}
			// The section's name ignores case, the quoted part does not.
			inside = strings.HasPrefix(section, "remote") && strings.HasSuffix(strings.TrimSpace(head), `"origin"`)
			line = strings.TrimSpace(rest)
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || !inside || url != "" || !strings.EqualFold(strings.TrimSpace(key), "url") {
			if strings.HasSuffix(line, `\`) {
				return "", errNotPlain
			}
			continue
		}
		var err error
		if url, err = configValue(value); err != nil {
			return "", err
		}
	}
	return url, nil
}

// configValue undoes the quoting of a value: quotes, escapes and a comment behind it.
func configValue(raw string) (string, error) {
	var out strings.Builder
	raw = strings.TrimSpace(raw)
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			if i++; i == len(raw) || raw[i] != '"' && raw[i] != '\\' {
				return "", errNotPlain
			}
			out.WriteByte(raw[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimRight(out.String(), " \t"), nil
		default:
			out.WriteByte(c)
		}
	}
	if quoted {
		return "", errNotPlain
	}
	return out.String(), nil
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

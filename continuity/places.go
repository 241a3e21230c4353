package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// places say where what was recorded is played: every path of the recorded machine stands below one folder.
type places struct {
	stage string
	tops  []string          // recorded folders, the longest first
	stand map[string]string // another place for one of them
}

// temporary are the folders for files of a moment.
var temporary = []string{"/tmp", "/private/tmp", "/var/folders", "/private/var/folders"}

// placesOf makes the places of sessions below a folder: of the home folders of their machines, and of temporary files.
func placesOf(stage string, sessions []*session) *places {
	p := &places{stage: stage, tops: slices.Clone(temporary), stand: map[string]string{}}
	for _, s := range sessions {
		for _, f := range s.files {
			for _, h := range f.hooks {
				p.add(topOf(h.Cwd))
			}
		}
	}
	return p
}

// topOf returns the part of a folder that tells a machine's user: its first two names.
func topOf(dir string) string {
	names := strings.SplitN(dir, "/", 4)
	return strings.Join(names[:min(3, len(names))], "/")
}

// add adds a recorded folder.
func (p *places) add(top string) {
	if len(top) < 2 || top[0] != '/' || slices.Contains(p.tops, top) {
		return
	}
	p.tops = append(p.tops, top)
	slices.SortStableFunc(p.tops, func(a, b string) int { return len(b) - len(a) })
}

// instead lets one place stand for a recorded folder.
func (p *places) instead(top, place string) {
	p.add(top)
	p.stand[top] = place
}

// to returns where a recorded path is played.
func (p *places) to(recorded string) string { return string(p.mapped([]byte(recorded))) }

// mapped replaces the paths in recorded text. A path begins and ends where a name does: /a/b does not stand in /a/bc.
func (p *places) mapped(text []byte) []byte {
	var out []byte
	rest := 0 // what is not in out yet
	for i := 0; i < len(text); {
		n := bytes.IndexByte(text[i:], '/')
		if n < 0 {
			break
		}
		i += n
		top := p.topAt(text, i)
		if top == "" {
			i++
			continue
		}
		place, other := p.stand[top]
		if !other {
			place = p.stage + top
		}
		out = append(append(out, text[rest:i]...), place...)
		i += len(top)
		rest = i
	}
	if rest == 0 {
		return text
	}
	return append(out, text[rest:]...)
}

// topAt returns the recorded folder that begins at a place of a text, "" for none.
func (p *places) topAt(text []byte, at int) string {
	if inName(text, at) {
		return ""
	}
	for _, top := range p.tops {
		end := at + len(top)
		if end <= len(text) && string(text[at:end]) == top && !goesOnAt(text, end) {
			return top
		}
	}
	return ""
}

// inName reports whether a slash belongs to what stands before it. What JSON escapes, as the end of a line, does not.
func inName(text []byte, at int) bool {
	if at == 0 {
		return false
	}
	before := text[at-1]
	if at > 1 && text[at-2] == '\\' && strings.IndexByte("nrt", before) >= 0 {
		return false
	}
	return isNameByte(before) || strings.IndexByte("./~", before) >= 0
}

// goesOnAt reports whether a name goes on at a place of a text. A full stop ends one unless more of the name follows.
func goesOnAt(text []byte, at int) bool {
	if at >= len(text) {
		return false
	}
	if text[at] == '.' {
		return at+1 < len(text) && isNameByte(text[at+1])
	}
	return isNameByte(text[at])
}

func isNameByte(b byte) bool {
	letter := b|0x20 >= 'a' && b|0x20 <= 'z'
	digit := b >= '0' && b <= '9'
	return letter || digit || b == '_' || b == '-' || b >= 0x80
}

// back returns a text that was told with the paths as they were recorded.
func (p *places) back(told string) string {
	for top, place := range p.stand {
		told = strings.ReplaceAll(told, place, top)
	}
	return strings.ReplaceAll(told, p.stage, "")
}

// worktrees are the names of folders in which linked work trees stand.
var worktrees = []string{"worktrees", ".worktrees"}

// repository returns the repository of a recorded folder, as far as its path says that it is in a linked work tree, and
// that work tree; else the folder itself and "".
func repository(dir string) (main, linked string) {
	names := strings.Split(dir, "/")
	for i, name := range names {
		if i > 1 && i+1 < len(names) && slices.Contains(worktrees, name) {
			main = strings.TrimSuffix(strings.Join(names[:i], "/"), "/.claude")
			return main, strings.Join(names[:i+2], "/")
		}
	}
	return dir, ""
}

// repositories returns the recorded folders that are taken for repositories: those in which the client saw a branch and
// which are in no other one.
func repositories(sessions []*session) []string {
	var dirs []string
	for _, s := range sessions {
		for _, f := range s.files {
			for _, h := range f.hooks {
				main, _ := repository(h.Cwd)
				if h.Branch != "" && !slices.Contains(dirs, main) {
					dirs = append(dirs, main)
				}
			}
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(a) - len(b) })
	var roots []string
	for _, dir := range dirs {
		if rootOf(roots, dir) == "" {
			roots = append(roots, dir)
		}
	}
	return roots
}

// rootOf returns the one of some folders that a folder is in, "" for none.
func rootOf(roots []string, dir string) string {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
			return root
		}
	}
	return ""
}

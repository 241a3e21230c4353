package main

import (
	"bytes"
	"cmp"
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

// ground says which recorded folders are repositories, and which are linked work trees of them, as far as that can be told
// from where the client saw a branch.
type ground struct {
	dirs []string // in which the client saw a branch, the shortest first
}

// groundOf gathers the folders of sessions.
func groundOf(sessions []*session) ground {
	var g ground
	for _, s := range sessions {
		for _, f := range s.files {
			for _, h := range f.hooks {
				branch := h.Branch != "" && h.Branch != "HEAD" // the client says HEAD outside of git, too
				if branch && !slices.Contains(g.dirs, h.Cwd) {
					g.dirs = append(g.dirs, h.Cwd)
				}
			}
		}
	}
	slices.SortStableFunc(g.dirs, func(a, b string) int { return len(a) - len(b) })
	return g
}

// place returns the repository and the work tree that a recorded folder is in, "" for none. Work trees in a folder of such
// ones, as ~/app-worktrees, are those of a repository beside them.
func (g ground) place(dir string) (repo, tree string) {
	if main, linked, ok := linkedBelow(dir); ok && g.over(dir, "/") != "" {
		repo, _ = g.place(main)
		return cmp.Or(repo, main), linked
	}
	if folder, ok := folderOfTrees(dir); ok {
		if tree := g.over(dir, folder); tree != "" {
			return folder + "/.main", tree
		}
	}
	root := g.over(dir, "/")
	return root, root
}

// over returns the outermost folder below another one that a folder is in and in which the client saw a branch.
func (g ground) over(dir, below string) string {
	for _, root := range g.dirs {
		if root != below && within(root, below) && within(dir, root) {
			return root
		}
	}
	return ""
}

// within reports whether a folder is another one, or in it.
func within(dir, root string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// linkedBelow takes apart the path of a linked work tree that lies in its repository.
func linkedBelow(dir string) (main, tree string, ok bool) {
	for _, folder := range []string{"/.claude/worktrees/", "/.worktrees/"} {
		before, after, found := strings.Cut(dir, folder)
		if name, _, _ := strings.Cut(after, "/"); found && name != "" {
			return before, before + folder + name, true
		}
	}
	return "", "", false
}

// folderOfTrees returns the folder of work trees that a folder is in, as its name says.
func folderOfTrees(dir string) (folder string, ok bool) {
	names := strings.Split(dir, "/")
	for i, name := range names[:len(names)-1] {
		if i > 1 && (name == "worktrees" || strings.HasSuffix(name, "-worktrees")) {
			return strings.Join(names[:i+1], "/"), true
		}
	}
	return "", false
}

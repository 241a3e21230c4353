package working

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// Files that stood in the output of a command or a search, and that the session has not opened.

// Bounds of what is looked at and kept.
const (
	maxSeen   = 80
	maxOutput = 16 << 10 // bytes of one output
	minPath   = 4
	maxSight  = 160 // bytes of one path

	maxOfFolder = 12
	olderBy     = 10 // paths that stood in outputs since, and count as much as one more output
)

// made are paths that programs write and nobody opens.
var made = regexp.MustCompile(`(^|/)(_build|node_modules|target|dist|build|vendor|\.git|__pycache__|\.venv)/|\.(git|lock|o|so|a|pyc|png|jpg|pdf)$`)

// Sight is a path that stood in outputs.
type Sight struct {
	Path  string `json:"path" jsonschema_description:"as it stood there"`
	Count int    `json:"count" jsonschema_description:"outputs that had it"`
	Event string `json:"event" jsonschema_description:"id of the newest event"`
}

// outputPaths are the paths in the output of a command, a search or a subagent.
func outputPaths(e *events.ToolSucceeded) []string {
	switch e.ToolName {
	case "Bash":
		return pathsIn(events.MemberText(e.ToolResponse, "stdout"))
	case "Grep", "Glob":
		var out struct {
			Filenames []string `json:"filenames"`
			Content   string   `json:"content"`
		}
		_ = json.Unmarshal(e.ToolResponse, &out) // of another form: none
		return append(pathsIn(strings.Join(out.Filenames, "\n")), pathsIn(out.Content)...)
	case "Agent", "Task":
		var out struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		}
		_ = json.Unmarshal(e.ToolResponse, &out) // as above
		var paths []string
		for _, part := range out.Content {
			paths = append(paths, pathsIn(part.Text)...)
		}
		return paths
	}
	return nil
}

// saw takes in the paths of a text, the newest last.
func (s State) saw(r events.Record, paths []string) State {
	for _, p := range paths {
		p = strings.TrimPrefix(p, strings.TrimSuffix(s.Worktree, "/")+"/")
		seen, x := without(s.Seen, Sight{Path: p}, func(x Sight) bool { return x.Path == p })
		if x.Event != r.ID {
			x.Count++
		}
		x.Event = r.ID
		s.Seen = events.Newest(append(seen, x), maxSeen)
	}
	return s
}

// Unopened are the sights below the work tree that no tool of the session has touched, the likeliest to be opened
// first: the newest, by ten other paths later for each output that had it (three at most), for a word of what is worked
// on in its name, and for lying beside a file that was read or, twice, edited. Of one folder there are a few: they say
// where the others are.
func (s State) Unopened() []Sight {
	opened := map[string]bool{}
	beside := map[string]int{}
	for _, f := range s.Files {
		folder, base := Folder(s.Worktree, f.Path)
		opened[path.Join(folder, base)] = true
		if f.Edited > 0 || f.Created {
			beside[folder] = 2
		} else if beside[folder] == 0 {
			beside[folder] = 1
		}
	}

	about := s.About()
	points := map[string]int{}
	var list []Sight
	for age, x := range slices.Backward(s.Seen) {
		age = len(s.Seen) - 1 - age
		folder, base := Folder(s.Worktree, x.Path)
		longer := func(y Sight) bool { return !path.IsAbs(y.Path) && strings.HasSuffix(y.Path, "/"+x.Path) }
		elsewhere := path.IsAbs(x.Path) || made.MatchString(x.Path) || slices.ContainsFunc(s.Seen, longer)
		if !opened[path.Join(folder, base)] && !elsewhere {
			list = append(list, x)
			points[x.Path] = olderBy*(Hits(base, about)+beside[folder]+min(x.Count, 3)) - age
		}
	}
	slices.SortStableFunc(list, func(a, b Sight) int { return points[b.Path] - points[a.Path] })

	folders := map[string]int{}
	return slices.DeleteFunc(list, func(x Sight) bool {
		folder, _ := Folder(s.Worktree, x.Path)
		folders[folder]++
		return folders[folder] > maxOfFolder
	})
}

// pathsIn are the words of a text that look like a file below a folder: with a slash, and a name with an extension. Of a
// diff they are without the letter of the side.
func pathsIn(text string) []string {
	text = text[:min(len(text), maxOutput)]
	sides := strings.Contains(text, "\n+++ b/")
	var out []string
	begin := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isPath(text[i]) {
			continue
		}
		word := strings.TrimRight(strings.TrimPrefix(text[begin:i], "./"), ".")
		begin = i + 1
		if side, rest, _ := strings.Cut(word, "/"); sides && (side == "a" || side == "b") {
			word = rest
		}
		if len(word) < minPath || len(word) > maxSight || strings.Contains(word, "//") {
			continue
		}
		base := word[strings.LastIndexByte(word, '/')+1:]
		ext := strings.TrimPrefix(path.Ext(base), ".")
		isFile := len(base) < len(word) && len(ext) > 0 && len(ext) <= 6 && len(ext)+1 < len(base) && isExt(ext)
		if isFile {
			out = append(out, word)
		}
	}
	return out
}

// isExt tells an extension from a name in a package (session.State) and from the line beside a match (file.go-12-).
func isExt(ext string) bool {
	named := len(ext) > 1 && ext[0] >= 'A' && ext[0] <= 'Z' && ext != strings.ToUpper(ext)
	return !isDigit(ext[0]) && !named && !strings.Contains(ext, "-")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isPath(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '@' || c == '+'
}

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

	maxOfFolder = 9
)

// made are paths that programs write and nobody opens.
var made = regexp.MustCompile(`(^|/)(_build|node_modules|target|dist|build|vendor|\.git|__pycache__|\.venv)/|\.(git|lock|o|so|a|pyc|png|jpg|pdf)$`)

// Sight is a path that stood in outputs.
type Sight struct {
	Path  string `json:"path" jsonschema_description:"as it stood there"`
	Count int    `json:"count" jsonschema_description:"outputs that had it"`
	Event string `json:"event" jsonschema_description:"id of the newest event"`
}

// sighted takes in the paths of an output, the newest last; what was opened is no sight any more.
func (s State) sighted(r events.Record, e *events.ToolSucceeded) State {
	if r.AgentID != "" {
		return s
	}
	var paths []string
	switch e.ToolName {
	case "Bash":
		paths = pathsIn(events.MemberText(e.ToolResponse, "stdout"))
	case "Grep", "Glob":
		var out struct {
			Filenames []string `json:"filenames"`
			Content   string   `json:"content"`
		}
		if json.Unmarshal(e.ToolResponse, &out) != nil {
			return s
		}
		paths = append(pathsIn(strings.Join(out.Filenames, "\n")), pathsIn(out.Content)...)
	}

	seen := slices.Clone(s.Seen)
	for _, p := range paths {
		p = strings.TrimPrefix(p, strings.TrimSuffix(s.Worktree, "/")+"/")
		sight := Sight{Path: p}
		if i := slices.IndexFunc(seen, func(x Sight) bool { return x.Path == p }); i >= 0 {
			sight = seen[i]
			seen = slices.Delete(seen, i, i+1)
		}
		if sight.Event != r.ID {
			sight.Count++
		}
		sight.Event = r.ID
		seen = append(seen, sight)
	}
	s.Seen = events.Newest(seen, maxSeen)
	return s
}

// Unopened are the sights below the work tree that no tool of the session has touched, the likeliest to be opened
// first: a word of what is worked on in the name, beside a file that was edited or read, in several outputs; then the newest.
// Of one folder there are a few: they say where the others are.
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
	points := func(x Sight) int {
		folder, base := Folder(s.Worktree, x.Path)
		return 2*Hits(base, about) + beside[folder] + min(x.Count, 3)
	}
	var list []Sight
	for _, x := range slices.Backward(s.Seen) {
		folder, base := Folder(s.Worktree, x.Path)
		if !opened[path.Join(folder, base)] && !path.IsAbs(x.Path) && !made.MatchString(x.Path) {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b Sight) int { return points(b) - points(a) })

	folders := map[string]int{}
	return slices.DeleteFunc(list, func(x Sight) bool {
		folder, _ := Folder(s.Worktree, x.Path)
		folders[folder]++
		return folders[folder] > maxOfFolder
	})
}

// pathsIn are the words of a text that look like a file below a folder: with a slash, and a name with an extension.
func pathsIn(text string) []string {
	text = text[:min(len(text), maxOutput)]
	var out []string
	begin := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && isPath(text[i]) {
			continue
		}
		word := strings.TrimRight(strings.TrimPrefix(text[begin:i], "./"), ".")
		begin = i + 1
		if len(word) < minPath || len(word) > maxSight || strings.Contains(word, "//") {
			continue
		}
		base := word[strings.LastIndexByte(word, '/')+1:]
		ext := strings.TrimPrefix(path.Ext(base), ".")
		isFile := len(base) < len(word) && len(ext) > 0 && len(ext) <= 6 && len(ext)+1 < len(base) && !isDigit(ext[0])
		if isFile {
			out = append(out, word)
		}
	}
	return out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isPath(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '@' || c == '+'
}

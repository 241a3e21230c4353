package events

import (
	"encoding/json"
	"path"
	"strings"
)

// ToolPatch is the tool by which Codex changes files: one call, a patch of any number of files.
const ToolPatch = "apply_patch"

// patches are the kinds of changes, by what stands before the name of a file.
var patches = map[string]string{"*** Add": "add", "*** Update": "update", "*** Delete": "delete"}

// Patched is what a patch does to one file.
type Patched struct {
	Path    string // as the patch has it, joined to the working directory where that is known
	Kind    string // add, update or delete
	Added   string // the lines that it adds, each with its end
	Changes string // its lines as they stand in the patch, each with its end
	From    string // where the file was before the patch moved it; "" for one that stays
}

// Patch reads the input of an apply_patch call:
//
//	*** Begin Patch
//	*** Update File: a.go
//	*** Move to: b.go
//	@@
//	-old
//	+new
//	*** End Patch
//
// A file that is moved counts as deleted where it was. Text that is no patch gives nothing; of one that lies beside the
// log there are the files that its head names.
func Patch(input json.RawMessage, cwd string) []Patched {
	in := InputOf(input)
	content := in.Command
	if !content.Given() {
		content = in.Input
	}

	text := content.Text()
	if text == "" { // of a patch that lies beside the log, its lines that are whole
		head := content.Head()
		text = head[:strings.LastIndexByte(head, '\n')+1]
	}

	var list []Patched
	var added, changes strings.Builder
	begin := func(kind, file string) {
		file = strings.TrimSpace(file)
		if file != "" && !path.IsAbs(file) && cwd != "" {
			file = path.Join(cwd, file)
		}
		list = append(list, Patched{Path: file, Kind: kind})
		added.Reset()
		changes.Reset()
	}
	for line := range strings.Lines(text) {
		mark, file, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " File: ")
		moved, moves := strings.CutPrefix(mark, "*** Move to: ")
		switch plus, adds := strings.CutPrefix(line, "+"); {
		case patches[mark] != "":
			begin(patches[mark], file)
		case len(list) == 0:
		case moves:
			from := list[len(list)-1].Path
			list[len(list)-1].Kind = "delete"
			begin("update", moved)
			list[len(list)-1].From = from
		case mark == "*** End Patch":
		default:
			if adds {
				added.WriteString(plus)
			}
			changes.WriteString(line)
			list[len(list)-1].Added = added.String()
			list[len(list)-1].Changes = changes.String()
		}
	}
	return list
}

package events

import (
	"encoding/json"
	"path"
	"strings"
)

// ToolPatch is the tool by which Codex changes files: one call, a patch of any number of files.
const ToolPatch = "apply_patch"

// Patched is what a patch does to one file.
type Patched struct {
	Path  string // as the patch has it, joined to the working directory where that is known
	Kind  string // add, update or delete
	Added string // the lines that it adds, each with its end
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
	raw := Member(input, "command")
	if raw == nil {
		raw = Member(input, "input")
	}
	text := Text(raw)
	if head := Text(Member(raw, "head")); head != "" {
		text = head[:strings.LastIndexByte(head, '\n')+1]
	}

	var list []Patched
	var added strings.Builder
	begin := func(kind, file string) {
		file = strings.TrimSpace(file)
		if file != "" && !path.IsAbs(file) && cwd != "" {
			file = path.Join(cwd, file)
		}
		list = append(list, Patched{Path: file, Kind: kind})
		added.Reset()
	}
	for line := range strings.Lines(text) {
		head := strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(head, "*** Add File: "); ok {
			begin("add", name)
		} else if name, ok := strings.CutPrefix(head, "*** Update File: "); ok {
			begin("update", name)
		} else if name, ok := strings.CutPrefix(head, "*** Delete File: "); ok {
			begin("delete", name)
		} else if name, ok := strings.CutPrefix(head, "*** Move to: "); ok && len(list) > 0 {
			list[len(list)-1].Kind = "delete"
			begin("update", name)
		} else if name, ok := strings.CutPrefix(line, "+"); ok && len(list) > 0 {
			added.WriteString(name)
			list[len(list)-1].Added = added.String()
		}
	}
	return list
}

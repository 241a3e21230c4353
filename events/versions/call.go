package versions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// call is the JSON of a call that succeeded. Members of another form stay empty.
type call struct {
	Cwd      string          `json:"cwd"`
	Input    json.RawMessage `json:"tool_input"`
	Response response        `json:"tool_response"`

	input events.ToolInput // Input, read
	lost  bool             // a large content of the call is gone
}

// response is what the client's tools for files give back. Older and newer clients have some of these.
type response struct {
	Type string    `json:"type"` // Read: text, image, file_unchanged, …; Write: create or update
	File *readFile `json:"file"` // Read

	Content   *string `json:"content"` // Write: what was written
	OldString *string `json:"oldString"`
	NewString *string `json:"newString"`
	All       bool    `json:"replaceAll"`
	Patch     []hunk  `json:"structuredPatch"`

	// The whole file before the change: of Edit and Write, of MultiEdit, and of NotebookEdit, which also has it afterwards.
	Original         *string `json:"originalFile"`
	OriginalContents *string `json:"originalFileContents"`
	OriginalNotebook *string `json:"original_file"`
	UpdatedNotebook  *string `json:"updated_file"`
}

// readFile is what Read gave of a file. Lines are counted with the empty one behind the last "\n".
type readFile struct {
	Content    *string `json:"content"`
	StartLine  int     `json:"startLine"`
	NumLines   int     `json:"numLines"`
	TotalLines int     `json:"totalLines"`
}

// callOf reads the JSON of a call.
func callOf(raw json.RawMessage) call {
	var c call
	_ = json.Unmarshal(raw, &c)
	c.input = events.InputOf(c.Input)
	return c
}

// callWithout reads a call of which a large content is gone: what it was about.
func callWithout(e *events.ToolSucceeded) call {
	c := call{Cwd: e.Cwd, Input: e.ToolInput, lost: true}
	c.input = events.InputOf(e.ToolInput)
	return c
}

// gone is said of a call whose content is gone.
const gone = "a large content of the record is gone"

// unknown returns the version of a call that changed the file and of whose result nothing is known.
func (h *History) unknown(r events.Record, doubt string) []Version {
	return h.wrote(r, h.become(step{how: Written, record: r, next: content{known: Nothing}, doubts: []string{doubt}}))
}

// takeRead takes in what Read gave.
func (h *History) takeRead(r events.Record, c call) []Version {
	if c.Response.Type == "file_unchanged" && h.begun && h.now.known == Whole {
		h.last = r.Seq
		return nil
	}
	file := c.Response.File
	isText := file != nil && file.Content != nil && (c.Response.Type == "text" || c.Response.Type == "")
	if !isText {
		return h.notRead(r, c)
	}

	lines := strings.Split(*file.Content, "\n")
	isEmpty := *file.Content == "" && file.TotalLines <= 1
	isWhole := file.StartLine <= 1 && file.NumLines == file.TotalLines && len(lines) == file.NumLines
	switch {
	case isEmpty || isWhole:
		return h.read(r, *file.Content)
	case file.NumLines != len(lines) || file.StartLine < 1 || file.StartLine-1+len(lines) > file.TotalLines:
		return nil // behind the end of the file, or in a form that is not known
	}
	return h.readPart(r, file.StartLine, lines, file.TotalLines)
}

// notRead takes in a Read whose content is not the file's text: a picture, a notebook, one that is gone.
func (h *History) notRead(r events.Record, c call) []Version {
	if h.begun {
		return nil
	}
	doubt := "the call did not give the file's text"
	if c.lost {
		doubt = gone
	}
	return h.wrote(r, h.become(step{how: Found, record: r, next: content{known: Nothing}, doubts: []string{doubt}}))
}

// read takes in the whole file.
func (h *History) read(r events.Record, text string) []Version {
	if h.begun && h.now.same(wholeOf(text)) {
		h.last = r.Seq
		return nil
	}

	how := Found
	after := uint64(0)
	if h.begun && !h.now.agrees(text) {
		how = Outside
		after = h.last
	}
	v := h.become(step{how: how, record: r, next: wholeOf(text)})
	v.After = after
	return h.wrote(r, v)
}

// readPart takes in some lines of the file.
func (h *History) readPart(r events.Record, from int, lines []string, total int) []Version {
	if h.now.known == Whole && h.now.holds(from, lines, total) {
		return nil // the other lines may have changed since the last call that had them
	}

	next, agrees := h.now.withLines(from, lines, total)
	if h.begun && agrees && next.known == Parts && len(next.lines) == len(h.now.lines) {
		return nil // lines that are known already
	}

	s := step{how: Found, record: r, next: next}
	after := uint64(0)
	since := r.Seq
	switch {
	case h.begun && !agrees:
		s.how = Outside
		after = h.last
	case h.now.known == Parts:
		since = h.last
		if next.known == Whole {
			s.doubts = []string{fmt.Sprintf("put together from lines that were read between events %d and %d", since, r.Seq)}
		}
	}
	v := h.become(s)
	v.After = after
	h.last = since // the oldest of the calls that the parts are from
	return []Version{v}
}

// takeWrite takes in that the whole file was written.
func (h *History) takeWrite(r events.Record, c call) []Version {
	written := c.Response.Content
	if written == nil && isText(c.input.Content) {
		text := c.input.Content.Text()
		written = &text
	}
	if written == nil {
		return h.unknown(r, gone)
	}

	var list []Version
	switch {
	case c.Response.Original != nil:
		list = h.found(r, *c.Response.Original)
	case c.Response.Type == "create":
		list = h.foundNone(r)
	}
	v := h.become(step{how: Written, record: r, next: wholeOf(*written), patch: c.Response.Patch})
	return append(list, h.wrote(r, v)...)
}

// isText reports whether a member is a string and no reference to a content beside the log.
func isText(c events.Content) bool { return len(c) > 0 && c[0] == '"' }

// takeNotebook takes in that a cell of a notebook was changed.
func (h *History) takeNotebook(r events.Record, c call) []Version {
	var list []Version
	if c.Response.OriginalNotebook != nil {
		list = h.found(r, *c.Response.OriginalNotebook)
	}
	if c.Response.UpdatedNotebook == nil {
		return append(list, h.unknown(r, "the record does not have the notebook after the change")...)
	}
	v := h.become(step{how: Written, record: r, next: wholeOf(*c.Response.UpdatedNotebook)})
	return append(list, h.wrote(r, v)...)
}

// takeCommand takes in a command line of a shell whose words say that the file was removed or moved. What else a command
// does to a file is not known; the next call that finds another content says that it was changed.
func (h *History) takeCommand(r events.Record, c call) []Version {
	line := c.input.Command.Text()
	if !strings.Contains(line, "rm") && !strings.Contains(line, "mv") {
		return nil
	}
	folder := events.Folder(line, c.Cwd)
	if folder == "" {
		return nil
	}

	var list []Version
	for _, run := range events.Runs(line) {
		words := run.Words
		if words[0] == "git" && len(words) > 1 {
			words = words[1:]
		}
		if run.Hidden {
			continue // whether it did it is not known
		}
		switch {
		case words[0] == "rm" && slices.ContainsFunc(words[1:], func(name string) bool { return h.within(folder, name) }):
			list = append(list, h.deleted(r, "")...)
		case words[0] == "mv" && len(words) > 2:
			list = append(list, h.takeMove(r, folder, words[1:len(words)-1], words[len(words)-1])...)
		}
	}
	return list
}

// takeMove takes in a move of files or folders to another name, or into a folder.
func (h *History) takeMove(r events.Record, folder string, from []string, to string) []Version {
	for _, name := range from {
		if h.within(folder, name) {
			return h.deleted(r, "moved to "+events.InFolder(folder, to))
		}
		inFolder := h.means(folder, to+"/"+lastOf(name))
		if inFolder || h.means(folder, to) {
			return h.unknown(r, "moved here from "+events.InFolder(folder, name)+", whose versions have its content")
		}
	}
	return nil
}

// lastOf returns the last name of a path.
func lastOf(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

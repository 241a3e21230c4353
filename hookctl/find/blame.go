package find

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"hookline/events"
)

// How the origin of a line is known; "" until it is found.
const (
	ByEdit  = "edit"    // a recorded call wrote it: it is in the file after the call and not in the file before it
	ByWords = "words"   // it is in the new text of a recorded edit; the file around it was not recorded
	Outside = "outside" // it came between two recorded calls, or after the newest: a person, a command, a formatter
	Earlier = "earlier" // it was there before the first recorded call
)

// Origin tells where a line of a file comes from.
type Origin struct {
	How   string
	Event uint64 // sequence of the call that wrote it; 0 if none did

	// The recorded calls around a change by something else; 0 means none.
	After  uint64
	Before uint64
}

// Edit is a recorded call that changed a file.
type Edit struct {
	Seq uint64

	// afterKnown is set if the whole file after the call is known, and beforeKnown if the one before it is too.
	afterKnown  bool
	beforeKnown bool
	before      []string // lines of the file
	after       []string

	replacements []events.Replacement // that the call made, in its order
}

// apply returns a text with the replacement made, and false if the text lacks the old string: the client compares in
// its own way, and may have found one that is a little different.
func apply(r events.Replacement, text string) (string, bool) {
	if r.Old != "" && !strings.Contains(text, r.Old) {
		return text, false
	}
	if r.All {
		return strings.ReplaceAll(text, r.Old, r.New), true
	}
	return strings.Replace(text, r.Old, r.New, 1), true
}

// EditTools are the tools whose calls are edits.
var EditTools = []string{"Edit", "MultiEdit", "Write"}

// editCall is the JSON of the hook of an edit.
type editCall struct {
	Tool     string           `json:"tool_name"`
	Input    events.ToolInput `json:"tool_input"`
	Response struct {
		Type     string  `json:"type"`
		Original *string `json:"originalFile"`
	} `json:"tool_response"`
}

// EditOf reads the JSON of the hook of a call that succeeded, with its large contents. It returns false if the call is
// not an edit.
func EditOf(seq uint64, raw json.RawMessage) (Edit, bool) {
	var call editCall
	_ = json.Unmarshal(raw, &call) // members of another form stay empty

	switch call.Tool {
	case "Write":
		if !call.Input.Content.Given() {
			return Edit{}, false
		}
		return newWrite(seq, call), true
	case "Edit", "MultiEdit":
		return newEdit(seq, call.Response.Original, call.Input.Replacements(call.Tool)), true
	}
	return Edit{}, false
}

// newWrite returns the edit of a call that wrote the whole file.
func newWrite(seq uint64, call editCall) Edit {
	e := Edit{Seq: seq, afterKnown: true, after: linesOf(call.Input.Content.Text())}
	if call.Response.Original != nil {
		e.before = linesOf(*call.Response.Original)
	}
	e.beforeKnown = call.Response.Original != nil || call.Response.Type == "create"

	return e
}

// newEdit returns the edit of a call that made replacements. original is the file before it, or nil.
func newEdit(seq uint64, original *string, replacements []events.Replacement) Edit {
	e := Edit{Seq: seq, replacements: replacements}
	if original == nil {
		return e
	}

	e.before = linesOf(*original)
	text := *original
	for _, r := range replacements {
		var ok bool
		text, ok = apply(r, text)
		if !ok {
			return e
		}
	}
	e.after = linesOf(text)
	e.afterKnown = true
	e.beforeKnown = true

	return e
}

// Blame finds the origins of the lines of a file from its edits, the newest first.
type Blame struct {
	Lines   []string
	origins []Origin

	// version is the file as it was at the edits that were taken so far, and at the place in it of each line that has
	// no origin yet.
	version []string
	at      []int

	newer uint64 // sequence of the edit that was taken last
}

// NewBlame returns a Blame for the file as it is now.
func NewBlame(content string) *Blame {
	lines := linesOf(content)
	b := &Blame{
		Lines:   lines,
		origins: make([]Origin, len(lines)),
		version: lines,
		at:      make([]int, len(lines)),
	}
	for i := range b.at {
		b.at[i] = i
	}
	return b
}

// Open tells whether a line has no origin yet.
func (b *Blame) Open() bool { return slices.Contains(b.origins, Origin{}) }

// Take goes back over one edit, which is older than those before.
func (b *Blame) Take(e Edit) {
	if e.afterKnown {
		b.takeWhole(e)
	} else {
		b.takeReplacements(e)
	}
	b.newer = e.Seq
}

// takeWhole goes back over an edit after which the file is known.
func (b *Blame) takeWhole(e Edit) {
	b.goBack(e.after, Origin{How: Outside, After: e.Seq, Before: b.newer})

	how := ByWords
	if e.beforeKnown {
		how = ByEdit
	}
	b.goBack(e.before, Origin{How: how, Event: e.Seq})
}

// takeReplacements undoes the replacements of an edit in the file of which nothing else is known. One whose new text
// does not stand in the file exactly once is passed over, as its place is unknown.
func (b *Blame) takeReplacements(e Edit) {
	text := strings.Join(b.version, "\n")
	for _, r := range slices.Backward(e.replacements) {
		if r.New != "" && strings.Count(text, r.New) == 1 {
			text = strings.Replace(text, r.New, r.Old, 1)
		}
	}
	b.goBack(strings.Split(text, "\n"), Origin{How: ByWords, Event: e.Seq})
}

// goBack goes to an older version of the file. The lines that it does not have get the origin.
func (b *Blame) goBack(older []string, origin Origin) {
	to := matchLines(b.version, older)
	for i := range b.Lines {
		if b.origins[i].How != "" {
			continue
		}
		b.at[i] = to[b.at[i]]
		if b.at[i] < 0 {
			b.origins[i] = origin
		}
	}
	b.version = older
}

// Result returns the origin of each line. Lines without one were there before the first edit.
func (b *Blame) Result() []Origin {
	out := slices.Clone(b.origins)
	for i := range out {
		if out[i].How == "" {
			out[i] = Origin{How: Earlier, Before: b.newer}
		}
	}
	return out
}

// matchLines returns for each line of a its place in b, or -1 if b does not have it.
func matchLines(a, b []string) []int {
	to := make([]int, len(a))
	for i := range to {
		to[i] = -1
	}

	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		to[begin] = begin
		begin++
	}

	endA := len(a)
	endB := len(b)
	for endA > begin && endB > begin && a[endA-1] == b[endB-1] {
		endA--
		endB--
		to[endA] = endB
	}

	matcher := difflib.NewMatcherWithJunk(a[begin:endA], b[begin:endB], false, nil)
	for _, m := range matcher.GetMatchingBlocks() {
		for k := range m.Size {
			to[begin+m.A+k] = begin + m.B + k
		}
	}
	return to
}

// linesOf returns the lines of a text without their ends.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

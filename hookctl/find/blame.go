package find

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// How the origin of a line is known; "" is not looked at yet.
const (
	ByEdit  = "edit"    // a recorded call wrote it: it is in the file after the call and not in the file before it
	ByWords = "words"   // the words of a recorded edit; the file around it was not recorded
	Outside = "outside" // it came between two recorded calls, or after the newest: a person, a command, a formatter
	Earlier = "earlier" // it was there before the first recorded call
)

// Origin is where a line of a file comes from. After and Before are the recorded calls around a change by something
// else; 0 means none.
type Origin struct {
	How    string
	Event  uint64
	After  uint64
	Before uint64
}

// Edit is a recorded call that changed a file.
type Edit struct {
	Seq    uint64
	whole  bool     // before and after are known
	blind  bool     // whole, but before is not known
	before []string // lines of the file
	after  []string
	swaps  []swap // what an edit replaced, in its order
}

type swap struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

// EditTools are the tools whose calls are edits.
var EditTools = []string{"Edit", "MultiEdit", "Write"}

// EditOf reads the hook's own JSON of a call that succeeded, with its large contents; false when it is no edit.
func EditOf(seq uint64, raw json.RawMessage) (Edit, bool) {
	var call struct {
		Tool  string `json:"tool_name"`
		Input struct {
			swap
			Content *string `json:"content"`
			Edits   []swap  `json:"edits"`
		} `json:"tool_input"`
		Response struct {
			Type     string  `json:"type"`
			Original *string `json:"originalFile"`
		} `json:"tool_response"`
	}
	_ = json.Unmarshal(raw, &call) // what has another form stays empty
	e := Edit{Seq: seq}
	switch {
	case call.Tool == "Write" && call.Input.Content != nil:
		e.after = linesOf(*call.Input.Content)
		e.whole = true
		if call.Response.Original != nil {
			e.before = linesOf(*call.Response.Original)
		}
		e.blind = call.Response.Original == nil && call.Response.Type != "create"
		return e, true
	case call.Tool == "Edit":
		e.swaps = []swap{call.Input.swap}
	case call.Tool == "MultiEdit":
		e.swaps = call.Input.Edits
	default:
		return e, false
	}
	if call.Response.Original == nil {
		return e, true
	}
	text := *call.Response.Original
	e.before = linesOf(text)
	for _, s := range e.swaps {
		if s.Old != "" && !strings.Contains(text, s.Old) { // the client compares in its own way
			return e, true
		}
		n := 1
		if s.All {
			n = -1
		}
		text = strings.Replace(text, s.Old, s.New, n)
	}
	e.after = linesOf(text)
	e.whole = true
	return e, true
}

// Blame finds out where the lines of a file come from, from the edits of it, the newest first.
type Blame struct {
	Lines   []string
	origins []Origin
	at      []int // of each line without an origin: where it stands in version
	version []string
	newer   uint64 // the call that was taken before
}

// NewBlame is for the file as it is now.
func NewBlame(content string) *Blame {
	b := &Blame{Lines: linesOf(content)}
	b.version = b.Lines
	b.origins = make([]Origin, len(b.Lines))
	b.at = make([]int, len(b.Lines))
	for i := range b.at {
		b.at[i] = i
	}
	return b
}

// Open says whether a line has no origin yet.
func (b *Blame) Open() bool { return slices.Contains(b.origins, Origin{}) }

// Take goes back over one edit.
func (b *Blame) Take(e Edit) {
	defer func() { b.newer = e.Seq }()
	if e.whole {
		b.back(e.after, Origin{How: Outside, After: e.Seq, Before: b.newer})
		how := ByEdit
		if e.blind {
			how = ByWords
		}
		b.back(e.before, Origin{How: how, Event: e.Seq})
		return
	}
	text := strings.Join(b.version, "\n")
	for _, s := range slices.Backward(e.swaps) {
		if s.New == "" || strings.Count(text, s.New) != 1 { // where it was is unknown
			continue
		}
		text = strings.Replace(text, s.New, s.Old, 1)
	}
	b.back(strings.Split(text, "\n"), Origin{How: ByWords, Event: e.Seq})
}

// back goes to an older version: lines that it does not have are of this origin.
func (b *Blame) back(older []string, of Origin) {
	to := pairs(b.version, older)
	for i := range b.Lines {
		if b.origins[i].How != "" {
			continue
		}
		b.at[i] = to[b.at[i]]
		if b.at[i] < 0 {
			b.origins[i] = of
		}
	}
	b.version = older
}

// Result is the origin of each line; what no edit has taken was there before the first.
func (b *Blame) Result() []Origin {
	out := slices.Clone(b.origins)
	for i := range out {
		if out[i].How == "" {
			out[i] = Origin{How: Earlier, Before: b.newer}
		}
	}
	return out
}

// pairs gives for each line of a where it stands in b, -1 where it does not.
func pairs(a, b []string) []int {
	to := make([]int, len(a))
	for i := range to {
		to[i] = -1
	}
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		to[begin] = begin
		begin++
	}
	endA, endB := len(a), len(b)
	for endA > begin && endB > begin && a[endA-1] == b[endB-1] {
		endA--
		endB--
		to[endA] = endB
	}
	for _, m := range difflib.NewMatcherWithJunk(a[begin:endA], b[begin:endB], false, nil).GetMatchingBlocks() {
		for k := range m.Size {
			to[begin+m.A+k] = begin + m.B + k
		}
	}
	return to
}

// linesOf are the lines of a text, without their ends; one at the end makes no line of its own.
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

package versions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
)

// file is the file of most tests.
const file = "/w/app/a.go"

// told is what a test says of one call.
type told struct {
	tool     string
	input    map[string]any
	response map[string]any
	seen     string // size and time on disk
	redacted int
}

// recordOf returns a call as it stands in the log, with its JSON.
func recordOf(t testing.TB, seq uint64, c told) (events.Record, json.RawMessage) {
	t.Helper()
	data := expect.Value(json.Marshal(map[string]any{
		"cwd":           "/w/app",
		"tool_name":     c.tool,
		"tool_input":    c.input,
		"tool_response": c.response,
	}))(t)

	r := events.Record{Seq: seq}
	r.ID = fmt.Sprintf("id%d", seq)
	r.Type = events.TypeToolSucceeded
	r.Time = time.Unix(int64(seq), 0).UTC()
	r.Session = "s"
	r.Redacted = c.redacted
	r.Data = data
	if c.seen != "" {
		r.Facts = &events.Facts{Seen: c.seen}
	}
	r.Event = events.Decode(r.Type, 1, data)
	return r, data
}

// fold returns the versions of the file after calls, whose sequences are 1, 2, ….
func fold(t testing.TB, calls ...told) []Version {
	t.Helper()
	h := New(file)
	var list []Version
	for i, c := range calls {
		r, raw := recordOf(t, uint64(i+1), c)
		list = append(list, h.Take(r, raw)...)
	}
	return list
}

// words returns versions in one text: how each came about, by or before which event, and what is known of it.
func words(list []Version) string {
	var out []string
	for _, v := range list {
		place := fmt.Sprint(v.Seq)
		if v.Seq == 0 {
			place = fmt.Sprintf("before %d", v.Before)
		}
		what := string(v.Known)
		if v.Known == Whole {
			what = fmt.Sprintf("%q", v.Content)
		}
		for _, p := range v.Pieces {
			what += fmt.Sprintf(" %d:%q", p.Line, p.Text)
		}
		out = append(out, fmt.Sprintf("%s %s %s", v.How, place, what))
	}
	return strings.Join(out, "; ")
}

// write is a Write without the file as it was.
func write(text string) told {
	return told{tool: "Write", input: map[string]any{"file_path": file, "content": text}}
}

// overwrite is a Write whose response has the file as it was.
func overwrite(original, text string) told {
	c := write(text)
	c.response = map[string]any{"type": "update", "content": text, "originalFile": original}
	return c
}

// create is a Write of a file that was not there.
func create(text string) told {
	c := write(text)
	c.response = map[string]any{"type": "create", "content": text, "originalFile": nil}
	return c
}

// edited is an Edit without the file as it was.
func edited(from, to string) told {
	return told{tool: "Edit", input: map[string]any{"file_path": file, "old_string": from, "new_string": to}}
}

// editedIn is an Edit whose response has the file as it was.
func editedIn(original, from, to string) told {
	c := edited(from, to)
	c.response = map[string]any{"originalFile": original, "oldString": from, "newString": to}
	return c
}

// read is a Read of the whole file.
func read(text string) told {
	n := strings.Count(text, "\n") + 1
	return readLines(1, n, text)
}

// readLines is a Read of lines from a line on, of a file with so many.
func readLines(from, total int, text string) told {
	return told{
		tool:  "Read",
		input: map[string]any{"file_path": file},
		response: map[string]any{"type": "text", "file": map[string]any{
			"content": text, "startLine": from, "numLines": strings.Count(text, "\n") + 1, "totalLines": total,
		}},
	}
}

// shell is a command line.
func shell(line string) told {
	return told{tool: "Bash", input: map[string]any{"command": line}}
}

// patch is a patch as Codex makes it.
func patch(lines ...string) told {
	text := "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
	return told{tool: events.ToolPatch, input: map[string]any{"command": text}}
}

// withPatch adds the client's own difference to an edit.
func withPatch(c told, oldStart, oldLines int, lines ...string) told {
	if c.response == nil {
		c.response = map[string]any{}
	}
	c.response["structuredPatch"] = []any{map[string]any{"oldStart": oldStart, "oldLines": oldLines, "lines": lines}}
	return c
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []told
		want  string
	}{
		{"a write", []told{write("a\n")}, `written 1 "a\n"`},
		{"a new file", []told{create("a\n")}, `written 1 "a\n"`},
		{"a write of a file that was there", []told{overwrite("b\n", "a\n")}, `found before 1 "b\n"; written 1 "a\n"`},
		{"an empty file", []told{write("")}, `written 1 ""`},
		{"a read", []told{read("a\nb\n")}, `found 1 "a\nb\n"`},
		{"a read of an empty file", []told{readLines(1, 1, "")}, `found 1 ""`},
		{"a read that finds what was written", []told{write("a\n"), read("a\n")}, `written 1 "a\n"`},
		{"a file without an end of its last line", []told{read("a\nb")}, `found 1 "a\nb"`},
		{
			"edits of a written file",
			[]told{write("a\nb\n"), edited("a", "A"), editedIn("A\nb\n", "b", "B")},
			`written 1 "a\nb\n"; written 2 "A\nb\n"; written 3 "A\nB\n"`,
		},
		{
			"an edit of a file that was there",
			[]told{editedIn("a\nb\n", "b", "c")},
			`found before 1 "a\nb\n"; written 1 "a\nc\n"`,
		},
		{"an edit of an unknown file", []told{edited("a", "b")}, `written 1 parts 0:"b"`},
		{"a removal in an unknown file", []told{edited("a", "")}, `written 1 nothing`},
		{
			"all places",
			[]told{write("a a\n"), {tool: "Edit", input: map[string]any{
				"file_path": file, "old_string": "a", "new_string": "b", "replace_all": true,
			}}},
			`written 1 "a a\n"; written 2 "b b\n"`,
		},
		{
			"several edits in one call",
			[]told{{tool: "MultiEdit", input: map[string]any{"file_path": file, "edits": []any{
				map[string]any{"old_string": "a", "new_string": "b"},
				map[string]any{"old_string": "b\n", "new_string": "c\n"},
			}}, response: map[string]any{"originalFileContents": "a\n"}}},
			`found before 1 "a\n"; written 1 "c\n"`,
		},
		{
			"the client's own words of an edit",
			[]told{write("say “hi”\n"), {
				tool:     "Edit",
				input:    map[string]any{"file_path": file, "old_string": `say "hi"`, "new_string": "bye"},
				response: map[string]any{"oldString": "say “hi”", "newString": "bye"},
			}},
			`written 1 "say “hi”\n"; written 2 "bye\n"`,
		},
		{
			"a change from outside before an edit",
			[]told{write("a\n"), editedIn("a\nperson\n", "a", "b")},
			`written 1 "a\n"; outside before 2 "a\nperson\n"; written 2 "b\nperson\n"`,
		},
		{
			"a change from outside before a write",
			[]told{write("a\n"), overwrite("person\n", "b\n")},
			`written 1 "a\n"; outside before 2 "person\n"; written 2 "b\n"`,
		},
		{"a change from outside before a read", []told{write("a\n"), read("b\n")}, `written 1 "a\n"; outside 2 "b\n"`},
		{
			"a change from outside that an edit without the file shows",
			[]told{write("a\n"), edited("person", "b")},
			`written 1 "a\n"; outside before 2 nothing; written 2 parts 0:"b"`,
		},
		{
			"a file that somebody removed",
			[]told{write("a\n"), create("b\n")},
			`written 1 "a\n"; outside before 2 absent; written 2 "b\n"`,
		},
		{"lines", []told{readLines(3, 9, "c\nd")}, `found 1 parts 3:"c\nd"`},
		{
			"lines that together are the whole",
			[]told{readLines(1, 4, "a\nb"), readLines(3, 4, "c\n")},
			`found 1 parts 1:"a\nb"; found 2 "a\nb\nc\n"`,
		},
		{"lines of a known file", []told{write("a\nb\nc\n"), readLines(2, 4, "b")}, `written 1 "a\nb\nc\n"`},
		{
			"lines of a file that was changed",
			[]told{write("a\nb\nc\n"), readLines(2, 4, "x")},
			`written 1 "a\nb\nc\n"; outside 2 parts 2:"x"`,
		},
		{
			"lines of a file that has others",
			[]told{readLines(1, 9, "a"), readLines(5, 8, "e")},
			`found 1 parts 1:"a"; outside 2 parts 5:"e"`,
		},
		{
			"an edit of known lines",
			[]told{readLines(3, 9, "c\nd"), readLines(8, 9, "h"), edited("c", "x\ny")},
			`found 1 parts 3:"c\nd"; found 2 parts 3:"c\nd" 8:"h"; written 3 parts 3:"x\ny\nd" 9:"h"`,
		},
		{
			"an edit of other lines than those that are known",
			[]told{readLines(3, 9, "c\nd"), edited("z", "y")},
			`found 1 parts 3:"c\nd"; written 2 parts 0:"y"`,
		},
		{"behind the end of a file", []told{write("a\n"), readLines(9, 2, "")}, `written 1 "a\n"`},
		{
			"a picture",
			[]told{{tool: "Read", input: map[string]any{"file_path": file}, response: map[string]any{
				"type": "image", "file": map[string]any{"base64": "aGk="},
			}}},
			`found 1 nothing`,
		},
		{"a removed file", []told{write("a\n"), shell("rm a.go")}, `written 1 "a\n"; deleted 2 absent`},
		{"a removed folder", []told{write("a\n"), shell("rm -rf /w/app")}, `written 1 "a\n"; deleted 2 absent`},
		{"a removal that may have failed", []told{write("a\n"), shell("rm a.go || true")}, `written 1 "a\n"`},
		{"another file", []told{write("a\n"), shell("rm b.go aa.go a.go.bak")}, `written 1 "a\n"`},
		{"a file that moved away", []told{write("a\n"), shell("git mv a.go b.go")}, `written 1 "a\n"; deleted 2 absent`},
		{"a file that moved here", []told{shell("mv lib/b.go a.go")}, `written 1 nothing`},
		{
			"a patch",
			[]told{
				patch("*** Add File: a.go", "+a", "+b", "+c"),
				patch("*** Update File: a.go", "@@", " a", "-b", "+B", " c"),
				patch("*** Delete File: a.go"),
			},
			`written 1 "a\nb\nc\n"; written 2 "a\nB\nc\n"; deleted 3 absent`,
		},
		{
			"a patch behind a line",
			[]told{
				write("func a\nx\nfunc b\nx\n"),
				patch("*** Update File: a.go", "@@ func b", "-x", "+y"),
			},
			`written 1 "func a\nx\nfunc b\nx\n"; written 2 "func a\nx\nfunc b\ny\n"`,
		},
		{
			"a patch that does not fit",
			[]told{write("a\n"), patch("*** Update File: a.go", "@@", "-z", "+y")},
			`written 1 "a\n"; outside before 2 nothing; written 2 parts 0:"y"`,
		},
		{"a patch of an unknown file", []told{patch("*** Update File: a.go", "-z", "+y")}, `written 1 parts 0:"y"`},
		{
			"a patch that moves the file here",
			[]told{patch("*** Update File: b.go", "*** Move to: a.go", "@@", "-z", "+y")},
			`written 1 nothing`,
		},
		{
			"a notebook",
			[]told{{
				tool:     "NotebookEdit",
				input:    map[string]any{"notebook_path": file, "new_source": "x"},
				response: map[string]any{"original_file": "{}", "updated_file": `{"x":1}`},
			}},
			`found before 1 "{}"; written 1 "{\"x\":1}"`,
		},
		{"calls of other files", []told{{tool: "Write", input: map[string]any{"file_path": "/w/app/b.go", "content": "b"}}}, ``},
		{"a relative path", []told{{tool: "Write", input: map[string]any{"file_path": "./a.go", "content": "b"}}}, `written 1 "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(fold(t, c.calls...)); got != c.want {
				t.Errorf("versions = %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestDifferenceOfTheClient(t *testing.T) {
	t.Run("shows tabs as blanks", func(t *testing.T) {
		got := fold(t, withPatch(editedIn("if x {\n\ty\n}\n", "\ty", "\t\tz"), 1, 3, " if x {", "-  y", "+    z", " }"))
		if want := "if x {\n\t\tz\n}\n"; got[1].Content != want {
			t.Errorf("content = %q, want %q", got[1].Content, want)
		}
	})
	t.Run("shows that the end of a line went too", func(t *testing.T) {
		got := fold(t, withPatch(editedIn("a\nb\nc\n", "b", ""), 1, 3, " a", "-b", " c"))
		if want := "a\nc\n"; got[1].Content != want {
			t.Errorf("content = %q, want %q", got[1].Content, want)
		}
	})
	t.Run("shows that the end of a line stayed", func(t *testing.T) {
		got := fold(t, withPatch(editedIn("a\nb\nc\n", "b", ""), 1, 3, " a", "-b", "+", " c"))
		if want := "a\n\nc\n"; got[1].Content != want {
			t.Errorf("content = %q, want %q", got[1].Content, want)
		}
	})
	t.Run("shows a line that was changed from outside", func(t *testing.T) {
		got := fold(t, write("a\nb\n"), withPatch(edited("b", "c"), 2, 2, " person", "-b", "+c"))
		want := `written 1 "a\nb\n"; outside before 2 nothing; written 2 parts 0:"c"`
		if words(got) != want {
			t.Errorf("versions = %s, want %s", words(got), want)
		}
	})
	t.Run("shows what the client wrote besides", func(t *testing.T) {
		got := fold(t, withPatch(editedIn("at: 1\nb\n", "b", "c"), 1, 2, "-at: 1", "-b", "+at: 2", "+c"))
		if want := "at: 2\nc\n"; got[1].Content != want {
			t.Errorf("content = %q, want %q", got[1].Content, want)
		}
	})
	t.Run("does not say which blanks are tabs", func(t *testing.T) {
		got := fold(t, withPatch(editedIn("\tat: 1\nb\n", "b", "c"), 1, 2, "-  at: 1", "-b", "+  at: 2", "+c"))
		if got[1].Known != Nothing {
			t.Errorf("known = %s, want nothing", got[1].Known)
		}
		if len(got[1].Doubts) != 1 {
			t.Errorf("doubts = %q, want one", got[1].Doubts)
		}
	})
}

func TestSizeOnDisk(t *testing.T) {
	for _, c := range []struct {
		name   string
		text   string
		seen   string
		ends   Ends
		doubts int
	}{
		{"the same", "a\nb\n", "4 2026-11-21T08:00:00Z", AsRecorded, 0},
		{"carriage returns", "a\nb\n", "6 2026-11-21T08:00:00Z", CRLF, 0},
		{"carriage returns in the record", "a\r\nb\n", "5 2026-11-21T08:00:00Z", AsRecorded, 0},
		{"another", "a\nb\n", "9 2026-11-21T08:00:00Z", UnknownEnds, 1},
		{"gone", "a\nb\n", "gone", UnknownEnds, 1},
		{"not known", "a\nb\n", "", UnknownEnds, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := write(c.text)
			call.seen = c.seen
			v := fold(t, call)[0]
			if v.Ends != c.ends {
				t.Errorf("ends = %q, want %q", v.Ends, c.ends)
			}
			if len(v.Doubts) != c.doubts {
				t.Errorf("doubts = %q, want %d", v.Doubts, c.doubts)
			}
		})
	}
}

// An edit without the file before it is made in the content that is known: what a person changed elsewhere does not show.
func TestEditWithoutTheFileBefore(t *testing.T) {
	without := edited("a", "b")
	fits := without
	fits.seen = "2 2026-11-21T08:00:00Z"
	for _, c := range []struct {
		name   string
		call   told
		doubts int
	}{
		{"with the file", editedIn("a\n", "a", "b"), 0},
		{"without it", without, 1},
		{"without it, of a size that fits", fits, 0},
	} {
		v := fold(t, write("a\n"), c.call)[1]
		if len(v.Doubts) != c.doubts {
			t.Errorf("doubts of an edit %s = %q, want %d", c.name, v.Doubts, c.doubts)
		}
	}
}

func TestRedacted(t *testing.T) {
	secret := write("key = [REDACTED:aws]\n")
	secret.redacted = 1

	t.Run("a secret", func(t *testing.T) {
		if v := fold(t, secret)[0]; !v.Redacted {
			t.Error("redacted = false, want true")
		}
	})
	t.Run("the text of a marker", func(t *testing.T) {
		if v := fold(t, write("key = [REDACTED:aws]\n"))[0]; v.Redacted {
			t.Error("redacted = true, want false")
		}
	})
	t.Run("an edit beside a secret", func(t *testing.T) {
		if v := fold(t, secret, edited("key", "Key"))[1]; !v.Redacted {
			t.Error("redacted = false, want true")
		}
	})
	t.Run("an edit that removes the secret", func(t *testing.T) {
		if v := fold(t, secret, edited("[REDACTED:aws]", "none"))[1]; v.Redacted {
			t.Error("redacted = true, want false")
		}
	})
	t.Run("other rules later", func(t *testing.T) {
		got := fold(t, write("key = hunter2\nb\n"), editedIn("key = [REDACTED:aws]\nb\n", "b", "c"))
		if len(got) != 2 {
			t.Errorf("versions = %s, want two", words(got))
		}
	})
}

func TestCounts(t *testing.T) {
	got := fold(t, create("a\nb\nc\n"), edited("b\n", "x\ny\n"), withPatch(editedIn("q\n", "q", "r"), 1, 1, "-q", "+r"))
	for i, want := range []string{"3 0 true", "2 1 true", "1 4 true", "1 1 true"} {
		v := got[i]
		if counts := fmt.Sprint(v.Added, v.Removed, v.Counted); counts != want {
			t.Errorf("version %d: added, removed, known = %s, want %s", i, counts, want)
		}
	}
}

func TestOutsideNamesItsCalls(t *testing.T) {
	v := fold(t, write("a\n"), read("a\n"), editedIn("b\n", "b", "c"))[1]
	if v.After != 2 {
		t.Errorf("after = %d, want 2: the newest call that found it as it was", v.After)
	}
	if v.Before != 3 {
		t.Errorf("before = %d, want 3", v.Before)
	}
}

// A restore writes a content that an earlier record has.
func TestRestored(t *testing.T) {
	replaced := events.Digest([]byte("b\n"))
	restored := func(text string, size int) []Version {
		h := New(file)
		for i, c := range []told{write("a\n"), write("b\n")} {
			r, raw := recordOf(t, uint64(i+1), c)
			h.Take(r, raw)
		}
		r := events.Record{Seq: 3}
		r.Event = &events.FileRestored{
			File:     file,
			From:     1,
			Digest:   events.Digest([]byte(text)),
			Size:     size,
			Replaced: replaced,
		}
		return h.Take(r, nil)
	}

	if got := words(restored("a\n", 2)); got != `restored 3 "a\n"` {
		t.Errorf("versions = %s, want the content of the first call", got)
	}
	if got := restored("a\n", 3)[0].Ends; got != CRLF {
		t.Errorf("ends = %q, want %q", got, CRLF)
	}
	if got := words(restored("unknown", 7)); got != "restored 3 nothing" {
		t.Errorf("versions = %s, want one of which nothing is known", got)
	}

	replaced = ""
	if got, want := words(restored("a\n", 2)), `outside before 3 absent; restored 3 "a\n"`; got != want {
		t.Errorf("versions where there was no file = %s, want %s", got, want)
	}
	replaced = events.Digest([]byte("person"))
	if got, want := words(restored("a\n", 2)), `outside before 3 nothing; restored 3 "a\n"`; got != want {
		t.Errorf("versions where a person had changed it = %s, want %s", got, want)
	}
}

// Lines from several reads may be of different moments: a change is said to be behind the oldest of them.
func TestReadsOfLines(t *testing.T) {
	got := fold(t, readLines(1, 4, "a\nb"), readLines(3, 4, "c\n"))
	if len(got[1].Doubts) != 1 {
		t.Errorf("doubts = %q, want that it was put together", got[1].Doubts)
	}

	got = fold(t, readLines(1, 4, "a"), readLines(3, 4, "c"), editedIn("A\nb\nc\n", "b", "B"))
	if got[2].After != 1 {
		t.Errorf("after = %d, want 1: the call that read the line that changed", got[2].After)
	}

	got = fold(t, write("a\nb\n"), readLines(2, 3, "b"), editedIn("A\nb\n", "b", "B"))
	if got[1].After != 1 {
		t.Errorf("after = %d, want 1: the read of another line says nothing of the changed one", got[1].After)
	}
}

func TestLostContent(t *testing.T) {
	h := New(file)
	r, _ := recordOf(t, 1, write("a\n"))
	list := h.Take(r, nil)
	if list[0].Content != "a\n" {
		t.Errorf("content of a small write = %q, want what stands in the event", list[0].Content)
	}
	r, _ = recordOf(t, 2, told{tool: "Write", input: map[string]any{
		"file_path": file, "content": map[string]any{"$blob": "sha256:00", "size": 9, "head": "x"},
	}})
	list = h.Take(r, nil)
	if got := words(list); got != "written 2 nothing" {
		t.Errorf("versions = %s, want one of which nothing is known", got)
	}
}

// An editor's own content and the one that is known agree after any calls, whatever of them the record has.
func TestVersionsAreWhatTheEditorHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		h := New(file)
		take := func(seq uint64, c told) (last Version) {
			r := events.Record{Seq: seq}
			r.Type = events.TypeToolSucceeded
			data, _ := json.Marshal(map[string]any{"tool_name": c.tool, "tool_input": c.input, "tool_response": c.response})
			r.Event = events.Decode(r.Type, 1, data)
			for _, v := range h.Take(r, data) {
				last = v
			}
			return last
		}

		line := rapid.SampledFrom([]string{"a", "b", "\tc", "", "d d", "e\r", "[x]"})
		lines := func(t *rapid.T, name string) string {
			s := strings.Join(rapid.SliceOfN(line, 0, 6).Draw(t, name), "\n")
			if rapid.Bool().Draw(t, "end") {
				s += "\n"
			}
			return s
		}
		known := false
		for seq := range uint64(rapid.IntRange(1, 12).Draw(t, "calls")) {
			var v Version
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				before := text
				text = lines(t, "text")
				c := write(text)
				if rapid.Bool().Draw(t, "original") {
					c = overwrite(before, text)
				}
				v = take(seq+1, c)
				known = true
			case 1, 2:
				if text == "" {
					continue
				}
				from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
				to := rapid.IntRange(from+1, len(text)).Draw(t, "to")
				old := text[from:to]
				if strings.Count(text, old) != 1 {
					continue
				}
				with := rapid.SampledFrom([]string{"x", "y\nz", "\t"}).Draw(t, "with")
				before := text
				text = strings.Replace(text, old, with, 1)
				c := edited(old, with)
				if rapid.Bool().Draw(t, "original") {
					c = editedIn(before, old, with)
					known = true
				}
				v = take(seq+1, c)
			case 3:
				v = take(seq+1, read(text))
				known = true
			case 4: // a person
				text = lines(t, "person")
				v = take(seq+1, read(text))
				known = true
			}
			if known && h.now.text != text {
				t.Fatalf("after call %d the file is %q, want %q", seq+1, h.now.text, text)
			}
			if v.Known == Whole && v.Content != text {
				t.Fatalf("version of call %d is %q, want %q", seq+1, v.Content, text)
			}
		}
	})
}

func FuzzTake(f *testing.F) {
	for _, c := range []told{write("a\n"), overwrite("b", "a"), editedIn("a\n", "a", "b"), read("a\n"), readLines(2, 9, "x"),
		shell("rm a.go"), patch("*** Update File: a.go", "@@ a", "-b", "+c")} {
		_, raw := recordOf(f, 1, c)
		f.Add([]byte(raw), []byte(raw))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		h := New(file)
		for i, raw := range [][]byte{first, second} {
			r := events.Record{Seq: uint64(i + 1)}
			r.Type = events.TypeToolSucceeded
			r.Data = raw
			r.Event = events.Decode(r.Type, 1, raw)
			for _, v := range h.Take(r, raw) {
				if v.Known == "" {
					t.Errorf("known of %+v is empty", v)
				}
				if v.Known != Whole && v.Content != "" {
					t.Errorf("content = %q of a version of which %s is known", v.Content, v.Known)
				}
			}
		}
	})
}

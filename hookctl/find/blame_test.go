package find

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

// call is the JSON of an edit that the client reports with the file as it was.
func call(t interface{ Fatal(...any) }, tool string, input, response any) json.RawMessage {
	b, err := json.Marshal(map[string]any{"tool_name": tool, "tool_input": input, "tool_response": response})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func edit(t *testing.T, seq uint64, original, from, to string) Edit {
	t.Helper()
	response := map[string]any{"originalFile": original}
	if original == "" {
		response = map[string]any{}
	}
	e, ok := EditOf(seq, call(t, "Edit", map[string]any{"old_string": from, "new_string": to}, response))
	if !ok {
		t.Fatal("no edit")
	}
	return e
}

func wrote(t *testing.T, seq uint64, content string) Edit {
	t.Helper()
	e, ok := EditOf(seq, call(t, "Write", map[string]any{"content": content}, map[string]any{"type": "create"}))
	if !ok {
		t.Fatal("no edit")
	}
	return e
}

// told is a line of origins: how, and by which call or before which one.
func told(b *Blame) string {
	var out []string
	for _, o := range b.Result() {
		out = append(out, fmt.Sprintf("%s %d", o.How, max(o.Event, o.Before)))
	}
	return strings.Join(out, ", ")
}

func TestBlame(t *testing.T) {
	for _, c := range []struct {
		name, now string
		edits     []Edit // the newest first
		want      string
	}{
		{"one write", "a\nb\n", []Edit{wrote(t, 1, "a\nb\n")}, "edit 1, edit 1"},
		{"an edit of it", "a\nB\nc\n", []Edit{edit(t, 2, "a\nb\nc\n", "b", "B"), wrote(t, 1, "a\nb\nc\n")}, "edit 1, edit 2, edit 1"},
		{"a file that was there", "x\nnew\n", []Edit{edit(t, 5, "x\n", "x\n", "x\nnew\n")}, "earlier 5, edit 5"},
		{"a hand behind it", "a\nhand\n", []Edit{wrote(t, 1, "a\n")}, "edit 1, outside 0"},
		{"a hand in between", "a\nhand\nc\n", []Edit{edit(t, 2, "a\nhand\nb\n", "b", "c"), wrote(t, 1, "a\nb\n")}, "edit 1, outside 2, edit 2"},
		{"without the file", "a\nB\n", []Edit{edit(t, 2, "", "b", "B"), wrote(t, 1, "a\nb\n")}, "edit 1, words 2"},
		{"no edit", "a\n", nil, "earlier 0"},
		{"carriage returns", "a\r\nb\r\n", []Edit{wrote(t, 1, "a\nb\n")}, "edit 1, edit 1"},
		{"empty", "", []Edit{wrote(t, 1, "a\n")}, ""},
	} {
		b := NewBlame(c.now)
		for _, e := range c.edits {
			b.Take(e)
		}
		expect.Equal(t, told(b), c.want, c.name)
	}
}

// Every line of a file that only recorded edits have written is blamed on the edit that wrote it: its text says which.
func TestBlameLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		var edits []Edit
		for seq := uint64(1); seq <= uint64(rapid.IntRange(1, 12).Draw(t, "edits")); seq++ {
			before := slices.Clone(lines)
			at := rapid.IntRange(0, len(lines)).Draw(t, "at")
			gone := rapid.IntRange(0, min(3, len(lines)-at)).Draw(t, "gone")
			var added []string
			for k := range rapid.IntRange(0, 3).Draw(t, "added") {
				added = append(added, fmt.Sprintf("line of %d, %d", seq, k))
			}
			lines = slices.Concat(lines[:at], added, lines[at+gone:])
			edits = append(edits, Edit{Seq: seq, whole: true, before: before, after: slices.Clone(lines)})
		}
		b := NewBlame(strings.Join(lines, "\n"))
		for _, e := range slices.Backward(edits) {
			b.Take(e)
		}
		for i, o := range b.Result() {
			if want := fmt.Sprintf("line of %d,", o.Event); o.How != ByEdit || !strings.HasPrefix(b.Lines[i], want) {
				t.Fatalf("%q is blamed on %+v", b.Lines[i], o)
			}
		}
	})
}

func FuzzEditOf(f *testing.F) {
	f.Add([]byte(`{"tool_name":"Edit","tool_input":{"old_string":"a","new_string":"b","replace_all":true},"tool_response":{"originalFile":"a a\n"}}`), "b b\n")
	f.Add([]byte(`{"tool_name":"MultiEdit","tool_input":{"edits":[{"old_string":"","new_string":"x"}]},"tool_response":{"originalFile":""}}`), "x")
	f.Add([]byte(`{"tool_name":"Write","tool_input":{"content":5},"tool_response":[]}`), "")
	f.Fuzz(func(t *testing.T, raw []byte, now string) {
		e, ok := EditOf(1, raw)
		if !ok {
			return
		}
		b := NewBlame(now)
		b.Take(e)
		if len(b.Result()) != len(b.Lines) {
			t.Fatal("not all lines are told of")
		}
	})
}

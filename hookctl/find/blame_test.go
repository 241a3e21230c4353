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

// callJSON returns the hook of a call that succeeded.
func callJSON(t *testing.T, tool string, input, response map[string]any) json.RawMessage {
	t.Helper()
	return expect.Value(json.Marshal(map[string]any{
		"tool_name":     tool,
		"tool_input":    input,
		"tool_response": response,
	}))(t)
}

// editCallOf returns an Edit call that replaced one string by another in the file original, or in a file that was not
// recorded if original is "".
func editCallOf(t *testing.T, seq uint64, original, from, to string) Edit {
	t.Helper()
	response := map[string]any{}
	if original != "" {
		response["originalFile"] = original
	}

	e, ok := EditOf(seq, callJSON(t, "Edit", map[string]any{"old_string": from, "new_string": to}, response))
	if !ok {
		t.Fatal("EditOf an Edit call = false, want an edit")
	}
	return e
}

// writeCallOf returns a Write call that created a file.
func writeCallOf(t *testing.T, seq uint64, content string) Edit {
	t.Helper()
	e, ok := EditOf(seq, callJSON(t, "Write", map[string]any{"content": content}, map[string]any{"type": "create"}))
	if !ok {
		t.Fatal("EditOf a Write call = false, want an edit")
	}
	return e
}

// originsOf returns the origins of all lines in one text: how each is known, and by which call, or before which one.
func originsOf(b *Blame) string {
	var out []string
	for _, o := range b.Result() {
		out = append(out, fmt.Sprintf("%s %d", o.How, max(o.Event, o.Before)))
	}
	return strings.Join(out, ", ")
}

func TestBlame(t *testing.T) {
	for _, c := range []struct {
		name  string
		file  string
		edits []Edit // the newest first
		want  string
	}{
		{
			name:  "one write",
			file:  "a\nb\n",
			edits: []Edit{writeCallOf(t, 1, "a\nb\n")},
			want:  "edit 1, edit 1",
		},
		{
			name:  "an edit of a written file",
			file:  "a\nB\nc\n",
			edits: []Edit{editCallOf(t, 2, "a\nb\nc\n", "b", "B"), writeCallOf(t, 1, "a\nb\nc\n")},
			want:  "edit 1, edit 2, edit 1",
		},
		{
			name:  "an edit of a file that was there before",
			file:  "x\nnew\n",
			edits: []Edit{editCallOf(t, 5, "x\n", "x\n", "x\nnew\n")},
			want:  "earlier 5, edit 5",
		},
		{
			name:  "a person's change after the last edit",
			file:  "a\nperson\n",
			edits: []Edit{writeCallOf(t, 1, "a\n")},
			want:  "edit 1, outside 0",
		},
		{
			name:  "a person's change between two edits",
			file:  "a\nperson\nc\n",
			edits: []Edit{editCallOf(t, 2, "a\nperson\nb\n", "b", "c"), writeCallOf(t, 1, "a\nb\n")},
			want:  "edit 1, outside 2, edit 2",
		},
		{
			name:  "an edit without the file before it",
			file:  "a\nB\n",
			edits: []Edit{editCallOf(t, 2, "", "b", "B"), writeCallOf(t, 1, "a\nb\n")},
			want:  "edit 1, words 2",
		},
		{
			name: "no edit",
			file: "a\n",
			want: "earlier 0",
		},
		{
			name:  "a file with carriage returns",
			file:  "a\r\nb\r\n",
			edits: []Edit{writeCallOf(t, 1, "a\nb\n")},
			want:  "edit 1, edit 1",
		},
		{
			name:  "an empty file",
			file:  "",
			edits: []Edit{writeCallOf(t, 1, "a\n")},
			want:  "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBlame(c.file)
			for _, e := range c.edits {
				b.Take(e)
			}
			expect.Equal(t, originsOf(b), c.want, "origins of the lines of", c.file)
		})
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
			removed := rapid.IntRange(0, min(3, len(lines)-at)).Draw(t, "removed")
			var added []string
			for k := range rapid.IntRange(0, 3).Draw(t, "added") {
				added = append(added, fmt.Sprintf("line of %d, %d", seq, k))
			}
			lines = slices.Concat(lines[:at], added, lines[at+removed:])

			edits = append(edits, Edit{
				Seq:         seq,
				afterKnown:  true,
				beforeKnown: true,
				before:      before,
				after:       slices.Clone(lines),
			})
		}

		b := NewBlame(strings.Join(lines, "\n"))
		for _, e := range slices.Backward(edits) {
			b.Take(e)
		}
		for i, o := range b.Result() {
			line := b.Lines[i]
			if o.How != ByEdit {
				t.Fatalf("origin of %q is known by %q, want %q", line, o.How, ByEdit)
			}
			if !strings.HasPrefix(line, fmt.Sprintf("line of %d,", o.Event)) {
				t.Fatalf("origin of %q = event %d", line, o.Event)
			}
		}
	})
}

func FuzzEditOf(f *testing.F) {
	f.Add([]byte(`{"tool_name":"Edit","tool_input":{"old_string":"a","new_string":"b","replace_all":true},`+
		`"tool_response":{"originalFile":"a a\n"}}`), "b b\n")
	f.Add([]byte(`{"tool_name":"MultiEdit","tool_input":{"edits":[{"old_string":"","new_string":"x"}]},`+
		`"tool_response":{"originalFile":""}}`), "x")
	f.Add([]byte(`{"tool_name":"Write","tool_input":{"content":5},"tool_response":[]}`), "")

	f.Fuzz(func(t *testing.T, raw []byte, file string) {
		e, ok := EditOf(1, raw)
		if !ok {
			return
		}
		b := NewBlame(file)
		b.Take(e)
		if got, want := len(b.Result()), len(b.Lines); got != want {
			t.Fatalf("number of origins = %d, want %d, one for each line", got, want)
		}
	})
}

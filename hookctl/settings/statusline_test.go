package settings

import (
	"testing"

	"hookline/expect"
)

// The status line goes in behind what is there and out again to the byte; another's is kept.
func TestSetStatusLine(t *testing.T) {
	const theirs = `{"statusLine": {"type": "command", "command": "~/bin/mine.sh"}, "model": "opus"}`
	for _, c := range []struct{ name, before, after, theirs string }{
		{"a file like the client's", "{\n  \"model\": \"opus\"\n}\n", "{\n  \"model\": \"opus\",\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"/opt/hookctl statusline\"\n  }\n}\n", ""},
		{"on one line", `{"model": "opus"}`, `{"model": "opus", "statusLine": {"type":"command","command":"/opt/hookctl statusline"}}`, ""},
		{"with a comment and a comma", "{\n\t// mine\n\t\"model\": \"opus\",\n}\n", "{\n\t// mine\n\t\"model\": \"opus\",\n\t\"statusLine\": {\n\t\t\"type\": \"command\",\n\t\t\"command\": \"/opt/hookctl statusline\"\n\t},\n}\n", ""},
		{"another's", theirs, theirs, "~/bin/mine.sh"},
	} {
		o := options(t)
		o.Binary = "/opt/hookctl"
		path := put(t, o, c.before)
		set := func(on bool, want string) {
			t.Helper()
			_, kept, err := SetStatusLine(o, on)
			got := get(t, path)
			if err != nil || got != want || on && kept != c.theirs {
				t.Errorf("%s, %v: %v, %q\n%s\nwant\n%s", c.name, on, err, kept, got, want)
			}
		}
		set(true, c.after)
		set(true, c.after) // again
		set(false, c.before)
		set(false, c.before)
	}
	for program, want := range map[string]string{"/opt/my tools/hookctl": `"/opt/my tools/hookctl" statusline`, "hookctl": "hookctl statusline"} {
		doc := expect.Value(parse("x", nil))(t)
		doc = expect.Value(parse("x", doc.withStatusLine(program)))(t)
		command, _ := doc.statusLine()
		expect.Equal(t, command, want)
	}
}

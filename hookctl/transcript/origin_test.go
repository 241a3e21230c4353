package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

func TestOriginOfAFork(t *testing.T) {
	const fork = `{"type":"user","uuid":"u1","sessionId":"f","forkedFrom":{"sessionId":"origin","messageUuid":"m"},"message":{"role":"user","content":"x"}}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"a fork":                     {fork, "origin"},
		"behind lines of the client": {`{"type":"mode","mode":"default"}` + "\n" + `{"type":"file-history-snapshot"}` + "\n" + fork, "origin"},
		"no fork":                    {`{"type":"user","uuid":"u1","sessionId":"s"}` + "\n", ""},
		"a fork of 2.1.331":          {`{"type":"user","uuid":"u1","sessionId":"f"}` + "\n" + `{"type":"assistant","uuid":"u2","sessionId":"f","requestSessionId":"origin"}` + "\n", "origin"},
		"an answer of its own":       {`{"type":"assistant","uuid":"u2","sessionId":"s"}` + "\n" + fork, ""},
		"empty":                      {"", ""},
		"no JSON":                    {"forkedFrom\n\x00\xff\n", ""},
		"another form":               {`{"uuid":"u1","forkedFrom":"origin"}` + "\n", ""},
		"an id that is too long":     {strings.Replace(fork, `"origin"`, `"`+strings.Repeat("x", 500)+`"`, 1), strings.Repeat("x", 100)},
		"too far behind":             {strings.Repeat(`{"type":"mode"}`+"\n", maxHead/10) + fork, ""},
		"a line without an end":      {`{"type":"` + strings.Repeat("x", 2*maxHead), ""},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		expect.OK(t, os.WriteFile(path, []byte(c.text), 0o600))
		expect.Equal(t, Origin(path), c.want, name)
	}
	expect.Equal(t, Origin(""), "", "origin without a path")
	expect.Equal(t, Origin(t.TempDir()), "", "origin of a folder")
	expect.Equal(t, Origin("/dev/zero"), "", "origin of a device")
}

// A fork comes behind its origin, whatever the files are called, so that its copied lines are known then.
func TestForksComeBehindTheirOrigins(t *testing.T) {
	dir := t.TempDir()
	const origin, fork = "bbbbbbbb-0000-4000-8000-000000000000", "aaaaaaaa-0000-4000-8000-000000000000"
	line := `{"type":"assistant","uuid":"u1","sessionId":"` + origin + `"}` + "\n"
	expect.OK(t, os.WriteFile(filepath.Join(dir, origin+".jsonl"), []byte(line), 0o600))
	line = `{"type":"assistant","uuid":"u1","sessionId":"` + fork + `","requestSessionId":"` + origin + `"}` + "\n"
	expect.OK(t, os.WriteFile(filepath.Join(dir, fork+".jsonl"), []byte(line), 0o600))

	list, problems := Sessions([]string{dir})
	expect.EqualNow(t, len(list), 2, "sessions, with problems", problems)
	expect.Equal(t, list[0].ID, origin, "first session")
	expect.Equal(t, list[1].ID, fork, "second session")
}

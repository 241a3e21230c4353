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
		"a fork":                          {fork, "origin"},
		"behind lines of the client":      {`{"type":"mode","mode":"default"}` + "\n" + `{"type":"file-history-snapshot"}` + "\n" + fork, "origin"},
		"no fork":                         {`{"type":"user","uuid":"u1","sessionId":"s"}` + "\n", ""},
		"a session with a line of a fork": {`{"type":"user","uuid":"u1","sessionId":"s"}` + "\n" + fork, ""},
		"empty":                           {"", ""},
		"no JSON":                         {"forkedFrom\n\x00\xff\n", ""},
		"another form":                    {`{"uuid":"u1","forkedFrom":"origin"}` + "\n", ""},
		"an id that is too long":          {strings.Replace(fork, `"origin"`, `"`+strings.Repeat("x", 500)+`"`, 1), strings.Repeat("x", 100)},
		"too far behind":                  {strings.Repeat(`{"type":"mode"}`+"\n", maxHead/10) + fork, ""},
		"a line without an end":           {`{"type":"` + strings.Repeat("x", 2*maxHead), ""},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		expect.OK(t, os.WriteFile(path, []byte(c.text), 0o600))
		expect.Equal(t, Origin(path), c.want, name)
	}
	expect.Equal(t, Origin(""), "", "origin without a path")
	expect.Equal(t, Origin(t.TempDir()), "", "origin of a folder")
	expect.Equal(t, Origin("/dev/zero"), "", "origin of a device")
}

package log

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// What is written to the log while it is followed is shown a whole line at a time, also when it was begun anew.
func TestLogFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hookd.log")
	expect.OK(t, os.WriteFile(path, []byte("one\ntwo\n"), 0o600))

	text, err := readFrom(path, 4)
	expect.OK(t, err)
	expect.Equal(t, string(text), "two\n", "behind the first line")

	expect.OK(t, os.WriteFile(path, []byte("new\n"), 0o600))
	_, err = readFrom(path, 8)
	expect.Equal(t, err, errShorter, "error for a log that was begun anew")
}

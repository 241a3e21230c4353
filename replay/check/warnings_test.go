package check

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// Words outlive the process, are told once, and of too many the newest are told.
func TestWarnings(t *testing.T) {
	dir := t.TempDir()
	open := func() *Warnings { return OpenWarnings(dir, slog.New(slog.DiscardHandler)) }
	u := open()
	expect.Equal(t, u.Take(), "")
	for i := range 7 {
		u.Add(fmt.Sprint(i/2), fmt.Sprint("words ", i)) // each event comes twice
	}
	u = open()
	if got := u.Take(); got != "words 0\nwords 2\nwords 4\nwords 6" || u.Take() != "" || open().Take() != "" {
		t.Errorf("%q", got)
	}
	for i := range 7 {
		u.Add(fmt.Sprint(i), fmt.Sprint("words ", i))
	}
	expect.Equal(t, open().Take(), "words 2\nwords 3\nwords 4\nwords 5\nwords 6")
}

// A file that cannot be read costs its words, and nothing else.
func TestWarningsDamaged(t *testing.T) {
	dir := t.TempDir()
	var log strings.Builder
	expect.OK(t, os.MkdirAll(filepath.Join(dir, "told"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(dir, "told", "untold.json"), []byte(`[{"id":`), 0o600))
	u := OpenWarnings(dir, slog.New(slog.NewTextHandler(&log, nil)))
	u.Add("1", "words")
	if got := u.Take(); got != "words" || !strings.Contains(log.String(), "what the user is to be told") {
		t.Errorf("%q, %s", got, log.String())
	}
}

package verbs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/verbs/env"
)

// purging is a bench with a home to remove, whose daemon is gone once it was told to stop.
func purging(t *testing.T, f *fakeBackend) (b *bench, file string) {
	t.Helper()
	b = installed(t, f)
	b.Connect = func(ctx context.Context, n env.Need) (*client.Client, error) {
		if n == env.Running && f.stopped > 0 {
			return nil, client.Advised(client.ErrNotRunning)
		}
		return b.dialHandler(ctx, n)
	}
	b.must("install")
	write(t, filepath.Join(b.Home(), "store", "x"), "log")
	return b, b.Home() + "-export-20261121T120000Z.ndjson.zst"
}

// kept fails where the log is gone.
func kept(t *testing.T, b *bench) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(b.Home(), "store", "x")); err != nil {
		t.Error(err)
	}
}

func TestPurgeAsks(t *testing.T) {
	f := newFake()
	b, _ := purging(t, f)
	question := "remove the hooks and the whole log in " + b.Home() + ", after an export? [y/N] "
	b.Asks, b.In = true, strings.NewReader("n\n")
	expect.Equal(t, b.refuses("uninstall", "--purge"), question+"hookctl: error: nothing was done\n")
	expect.Equal(t, f.stopped, 0, "stops")
	kept(t, b)
	b.In = strings.NewReader(" YES ")
	if code, _, errs := b.run("uninstall", "--purge"); code != 0 || errs != question {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// An interrupt at the question ends the command at once, with nothing done.
func TestPurgeInterrupted(t *testing.T) {
	b, _ := purging(t, newFake())
	ctx, cancel := context.WithCancel(t.Context())
	b.Asks, b.In = true, reader(func([]byte) (int, error) { cancel(); <-t.Context().Done(); return 0, errors.New("closed") })
	expect.Equal(t, execute(ctx, b.Env, Searcher{}, []string{"uninstall", "--purge"}), 130, "exit")
	kept(t, b)
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// What is ours goes after it was exported; a file of others stays.
func TestPurge(t *testing.T) {
	f := newFake()
	b, file := purging(t, f)
	for _, name := range []string{"hookd.log", "hookd.log.1", "keys/k", "mine.txt"} {
		write(t, filepath.Join(b.Home(), name), name)
	}
	out := b.must("uninstall", "--purge", "--yes")
	contains(t, out, "31 hooks taken out", file+": 0 events, 0 blobs; `replay import` takes them in again\n", b.Home()+" is removed\n", "not ours, so left there: mine.txt")
	expect.Equal(t, f.stopped, 1, "stops")
	left, err := os.ReadDir(b.Home())
	if err != nil || len(left) != 1 || left[0].Name() != "mine.txt" {
		t.Errorf("left %v, %v", left, err)
	}
}

// Without a whole copy nothing of the log is removed, and what is said names the reason.
func TestPurgeKeepsTheLogInTrouble(t *testing.T) {
	for name, tc := range map[string]struct {
		given func(*fakeBackend, *bench, string)
		want  string // of stderr, with HOME and FILE
	}{
		"file there": {func(_ *fakeBackend, _ *bench, file string) { write(t, file, "an earlier one") },
			"hookctl: error: the hooks are out, the log in HOME is untouched: export the log: FILE exists\nhookctl: hint: choose another name; nothing is overwritten\n"},
		"ends early": {func(f *fakeBackend, _ *bench, _ string) { f.cut = true },
			"hookctl: error: the hooks are out, the log in HOME is untouched: export the log: the daemon ended before the export did\n"},
		"ends before the log does": {func(f *fakeBackend, _ *bench, _ string) { f.behind = 3 },
			"hookctl: error: the hooks are out, the log in HOME is untouched: export the log: FILE has 0 events up to sequence 6, 0 up to 9 were expected; its export is FILE\n"},
		"content lost": {func(f *fakeBackend, _ *bench, _ string) { f.lacks = true },
			"hookctl: error: the hooks are out, the log in HOME is untouched: export the log: it lacks 1 large content that events refer to and what was lost with 0 damaged places of the log; its export is FILE\n" +
				"hookctl: hint: `replay repair` fetches what others still have; else remove that folder by hand\n"},
		"a daemon again": {func(f *fakeBackend, b *bench, _ string) { b.Connect = b.dialHandler },
			"hookctl: error: the hooks are out, the log in HOME is untouched: a hook came during the export; its export is FILE\n" +
				"hookctl: hint: end the sessions that still run, and try again\n"},
		"spool": {func(_ *fakeBackend, b *bench, _ string) {
			write(t, filepath.Join(b.Home(), "spool", "01KAJ3ZV5T0000000000000001.frame"), "{}\n")
		}, "hookctl: error: the hooks are out, the log in HOME is untouched: 1 frame could not be taken from the spool\n" +
			"hookctl: hint: `hookctl doctor` tells why; end the sessions that still run\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			b, file := purging(t, f)
			tc.given(f, b, file)
			expect.Equal(t, b.refuses("uninstall", "--purge", "--yes"), strings.NewReplacer("HOME", b.Home(), "FILE", file).Replace(tc.want))
			kept(t, b)
		})
	}
}

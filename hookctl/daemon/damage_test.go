//go:build unix

package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
)

// damages are the log.damaged events of a log.
func damages(t *testing.T, d *Daemon) (ids []string, all []*events.LogDamaged) {
	t.Helper()
	for _, r := range logOf(t, d) {
		if r.Type == events.TypeLogDamaged {
			ids = append(ids, r.ID)
		}
	}
	return ids, found[*events.LogDamaged](t, d)
}

// leave writes what an opener has found and not recorded yet.
func leave(t *testing.T, home, found, id string) (path string) {
	t.Helper()
	path = filepath.Join(home, "store", "found.json")
	expect.OK(t, os.WriteFile(path, fmt.Appendf(nil, found, id), 0o600))
	return path
}

// An opener that was killed behind the event, before it could note that, does not make the next one record it again.
func TestDamageIsRecordedOnce(t *testing.T) {
	home, _, _ := lossy(t)
	d := open(t, home)
	ids, _ := damages(t, d)
	shut(t, d)
	path := leave(t, home, `{"id":%q,"lost":[{"First":5,"Last":5}]}`, ids[0])
	d = open(t, home)
	defer shut(t, d)
	if again, _ := damages(t, d); !slices.Equal(again, ids) {
		t.Errorf("%q, want %q", again, ids)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s: %v", path, err)
	}
}

// What an opener found that was killed before the event is recorded by the next.
func TestDamageOutlivesTheOpener(t *testing.T) {
	home, _, _ := lossy(t)
	d := open(t, home)
	ids, _ := damages(t, d)
	last, _ := d.stream.Last()
	shut(t, d)
	if cut, _, err := block.CutEnd(filepath.Dir(blockPath(home, 1)), filepath.Join(home, "store", "archive"), "EVENTS", last); err != nil || cut != 1 {
		t.Fatal(cut, err)
	}
	leave(t, home, `{"id":%q,"damage":[{"Block":"1.blk","Why":"checksum does not match"}],"lost":[{"First":4,"Last":5}]}`, ids[0])
	d = open(t, home)
	defer shut(t, d)
	again, all := damages(t, d)
	if !slices.Equal(again, ids) || !slices.Equal(all[0].Lost, []uint64{4, 5, last}) {
		t.Errorf("%q %+v", again, all[0])
	}
}

// A log that was taken from the archive may be shorter than it was: only an exit in order tells, and nobody claims that
// nothing is lost where none does.
func TestLogFromArchiveIsTold(t *testing.T) {
	for _, clean := range []bool{true, false} {
		home := newHome(t)
		d := open(t, home)
		take(t, d, bashOf("s-1", 1))
		shut(t, d)
		d = open(t, home) // which archives the block
		shut(t, d)
		err := os.RemoveAll(filepath.Join(home, "store", "jetstream"))
		if !clean {
			err = errors.Join(err, os.Remove(filepath.Join(home, "store", "clean.json")))
		}
		expect.OK(t, err)
		d = open(t, home)
		want := "the log was damaged (the log was gone and was restored from the archive); no sequence is lost. "
		if !clean {
			want = "the log was damaged (the log was gone and was restored from the archive); nothing tells how much is lost, if anything. "
		}
		if a := take(t, d, startOf("s-2")); !strings.Contains(string(a.Stderr), want) {
			t.Errorf("%q", a.Stderr)
		}
		shut(t, d)
	}
}

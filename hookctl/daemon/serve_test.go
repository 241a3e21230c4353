//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

func TestIdleExit(t *testing.T) {
	c := &clock{time.Now().Truncate(time.Millisecond)}
	d := openAt(t, newHome(t), c)
	defer shut(t, d)
	stopped := func() string {
		d.exitWhenIdle(t.Context())
		select {
		case r := <-d.stopping:
			return r
		default:
			return ""
		}
	}
	f := startOf("s-1")
	take(t, d, f)
	c.at = c.at.Add(50 * time.Hour)
	expect.EqualNow(t, stopped(), "", "with a live session")
	take(t, d, endOf("s-1"))
	expect.EqualNow(t, stopped(), "", "at once")
	c.at = c.at.Add(time.Hour)
	expect.EqualNow(t, stopped(), "", "after an hour")
	c.at = c.at.Add(time.Millisecond)
	expect.EqualNow(t, stopped(), "idle", "after more")
	d.opts.IdleExit = -1
	expect.EqualNow(t, stopped(), "", "though never")
}

// The dream's end is shown to followers only when it is on disk; and dreams at the end are recorded before the stop.
func TestStopIsLast(t *testing.T) {
	d := open(t, newHome(t))
	take(t, d, startOf("s-1"))
	expect.Value(d.doDream(t.Context(), dreamOrder{Session: "s-1", Phase: "full"}))(t)
	home := d.opts.Home
	expect.OK(t, d.shutdown(d.httpServer(), "stop"))
	d = open(t, home)
	defer shut(t, d)
	recs := logOf(t, d)
	expect.Equal(t, recs[len(recs)-1].Type, "daemon.stopped", "the last record is")
}

func TestRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hookd.log")
	expect.OK(t, os.WriteFile(path, []byte(strings.Repeat("x", 8<<20)), 0o600))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	expect.OK(t, err)
	defer f.Close()
	_, _ = f.WriteString("y")
	_ = rotate(path)
	_, _ = f.WriteString("z") // our own stdio goes on in the emptied file
	now, _ := os.ReadFile(path)
	old, err := os.Stat(path + ".1")
	if err != nil || string(now) != "z" || old.Size() != 8<<20+1 || old.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v", now, err)
	}
}

//go:build unix

package daemon

import (
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/api"
)

func TestIdleExit(t *testing.T) {
	c := &clock{time.Now().Truncate(time.Millisecond)}
	d := openAt(t, newHome(t), c)
	defer shut(t, d)
	stopped := func() string {
		d.keeper.exitWhenIdle(t.Context())
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
	expect.Value(d.endpoints.commands.dream(t.Context(), api.DreamRequest{Session: "s-1", Phase: "full"}))(t)
	home := d.opts.Home
	expect.OK(t, d.keeper.shutdown(d.keeper.httpServer(), "stop"))
	d = open(t, home)
	defer shut(t, d)
	recs := logOf(t, d)
	expect.Equal(t, recs[len(recs)-1].Type, "daemon.stopped", "the last record is")
}

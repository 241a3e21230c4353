//go:build unix

package daemon

import (
	"encoding/binary"
	"os"
	"reflect"
	"testing"

	"hookline/expect"
)

// cutShort is a copy of a running home as a kill leaves it that came before the log's last events.
func cutShort(t *testing.T, home string, events int) string {
	t.Helper()
	to := copyHome(t, home)
	name := blockPath(to, 1)
	b := expect.Value(os.ReadFile(name))(t)
	var ends []int // of the records: each begins with its length, of which the highest bit is a mark
	for at := 0; at < len(b); ends = append(ends, at) {
		at += int(binary.LittleEndian.Uint32(b[at:]) &^ (1 << 31))
	}
	expect.OK(t, os.Truncate(name, int64(ends[len(ends)-1-events])))
	return to
}

// A kill in the middle of a decision's events leaves none of them. The frame, which nobody answered, is
// taken as a new one when it comes again, and says what it would have said.
func TestKillInsideADecision(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	take(t, d, bashOf("s-1", 1))
	before := len(logOf(t, d))
	f := startOf("s-2")
	want := take(t, d, f)
	whole := logOf(t, d)
	expect.EqualNow(t, len(whole)-before, 2, "a SessionStart made", "events, want 2: this test cuts between them")
	// Behind the two comes what the model was told.
	after := open(t, cutShort(t, home, 2))
	defer shut(t, after)
	expect.EqualNow(t, after.server.Report().Unfinished, 1, "events were cut, want 1")
	expect.EqualNow(t, len(logOf(t, after)), before, "events are left")
	mustVerify(t, after)
	if got := take(t, after, f); !reflect.DeepEqual(got, want) {
		t.Errorf("taken again: %+v\nwant %+v", got, want)
	}
	recs := logOf(t, after)
	if len(recs) != len(whole) || recs[before].ID != f.ID || recs[before+1].Type != "identity.restored" {
		t.Errorf("%d events, want %d", len(recs), len(whole))
	}
	if s := after.Status(); s.Again != 0 || s.Hooks["SessionStart"].Count != 1 {
		t.Errorf("again %d, %+v", s.Again, s.Hooks)
	}
	mustVerify(t, after)
}

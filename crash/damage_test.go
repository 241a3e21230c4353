//go:build linux

package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// recordedHooks is how many hooks a damaged home has recorded before.
const recordedHooks = 40

// damagedHome is a home that has recorded hooks and was stopped in order, with an export of them.
type damagedHome struct {
	*home
	ledger *ledger
	export string
	last   uint64 // the log's newest sequence: the daemon's last word
}

func newDamagedHome(t *testing.T) *damagedHome {
	t.Helper()
	h := &damagedHome{home: newHome(t, need(t, oldBuild), ""), ledger: newLedger()}
	h.up(t)
	h.hooks(t, recordedHooks)
	h.stop(t)
	h.export = filepath.Join(h.root, "before.ndjson.zst")
	h.replay(t, 0, "export", "-o", h.export)
	var v struct{ Events uint64 }
	if err := json.Unmarshal([]byte(h.replay(t, 0, "verify", "--json")), &v); err != nil || v.Events < recordedHooks {
		t.Fatalf("%+v, %v", v, err)
	}
	h.last = v.Events
	return h
}

// hooks runs clients one after the other, each of which must promise.
func (h *damagedHome) hooks(t *testing.T, n int) {
	t.Helper()
	for range n {
		call := h.ledger.next()
		o, err := h.hook(call, 500)
		if err != nil || !o.kept() {
			t.Fatalf("hook %s: %+v, %v", call, o, err)
		}
		h.ledger.promise(call, byClient)
	}
}

// replay runs the program, in whose process the store is opened when no daemon runs.
func (h *damagedHome) replay(t *testing.T, exit int, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	o, err := finished(h.command(ctx, "replay", args...))
	if err != nil || o.exit != exit {
		t.Fatalf("replay %s: exit %d, want %d, %v\n%s", strings.Join(args, " "), o.exit, exit, err, o.said)
	}
	return o.said
}

// begin starts a session.
func (h *damagedHome) begin(t *testing.T, session string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := h.command(ctx, "hookctl", "hook", "SessionStart")
	cmd.Stdin = strings.NewReader(`{"session_id":"` + session + `","hook_event_name":"SessionStart","source":"startup"}`)
	o := expect.Value(finished(cmd))(t)
	return o
}

func (h *damagedHome) block() string {
	return filepath.Join(h.paths().Store, "jetstream", "$G", "streams", "EVENTS", "msgs", "1.blk")
}

// check holds the log against what was promised: the damage recorded once, the lost sequences as named and in nobody
// else's use, every promised hook but those of before, if lost, exactly once.
func (h *damagedHome) check(t *testing.T, lost events.SeqRun, everything bool) {
	t.Helper()
	expect.OK(t, eventually(within, func() error {
		s, err := h.status()
		if err == nil && s.Spool > 0 {
			err = fmt.Errorf("%d frames wait", s.Spool)
		}
		return err
	}))
	list := expect.Value(h.rows(1))(t)
	var named []events.SeqRun
	calls := map[string]int{}
	for _, r := range list {
		if lost.First <= r.Seq && r.Seq <= lost.Last {
			t.Errorf("the lost sequence %d is %s", r.Seq, r.Type)
		}
		if r.Type == "tool.succeeded" {
			calls[r.Call]++
		}
		if r.Type == "log.damaged" {
			var e struct{ Data events.LogDamaged }
			expect.OK(t, json.Unmarshal(r.raw, &e))
			named = append(named, e.Data.Runs...)
		}
	}
	if !slices.Equal(named, []events.SeqRun{lost}) {
		t.Errorf("log.damaged names %+v, want once %+v", named, lost)
	}
	missing := 0
	for call := range h.ledger.untilNow() {
		if calls[call] > 1 {
			t.Errorf("%s counts %d times", call, calls[call])
		}
		if calls[call] == 0 {
			missing++
		}
	}
	if n := int(lost.Last - lost.First + 1); missing > n || everything && missing > 0 {
		t.Errorf("%d hooks are missing, %d sequences were lost", missing, n)
	}
	if v, err := h.verify(); err != nil || v.Exit != 0 || len(v.New) != 0 || v.Holes != lost.Last-lost.First+1 {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

// A command that opens the store before any daemon does mends the damage, and hides it from nobody.
func TestDamageMetByReader(t *testing.T) {
	t.Parallel()
	h := newDamagedHome(t)
	b := expect.Value(os.ReadFile(h.block()))(t)
	copy(b[len(b)/2:], bytes.Repeat([]byte{0x5a}, smear))
	expect.OK(t, os.WriteFile(h.block(), b, 0o600))
	said := h.replay(t, 2, "verify")
	h.up(t)
	h.hooks(t, 5)
	var words string
	if o := h.begin(t, "one"); o.exit != 2 {
		t.Errorf("the next session's start: %+v", o)
	} else {
		words = o.said
	}
	if o := h.begin(t, "two"); o.exit != 0 {
		t.Errorf("told again: %+v", o)
	}
	var lost events.SeqRun
	if _, err := fmt.Sscanf(said[strings.Index(said, "sequences lost: "):], "sequences lost: %d", &lost.First); err != nil {
		t.Fatal(said)
	}
	if lost.Last = lost.First; !strings.Contains(words, fmt.Sprintf("sequences lost: %d. ", lost.First)) || !strings.Contains(words, "`replay repair`") {
		t.Errorf("the user is told %q", words)
	}
	h.check(t, lost, false)
	h.replay(t, 0, "repair", "--yes", "--from", h.export)
	h.check(t, lost, true)
}

// The log's end is cut off after an exit in order: what the exit vouched for is named, and comes back.
func TestCutEnd(t *testing.T) {
	t.Parallel()
	for i, cut := range []int64{1, 700, 3000, 9000} {
		if i > 0 && !long() && cut != 3000 {
			continue
		}
		h := newDamagedHome(t)
		info, err := os.Stat(h.block())
		if err == nil {
			err = os.Truncate(h.block(), info.Size()-cut)
		}
		expect.OK(t, err)
		h.up(t)
		list, err := h.rows(1)
		expect.OK(t, err)
		lost := events.SeqRun{Last: h.last}
		for _, r := range list {
			if r.Seq <= h.last {
				lost.First = r.Seq + 1
			}
		}
		h.hooks(t, 5)
		if o := h.begin(t, "one"); o.exit != 2 || !strings.Contains(o.said, "sequences lost: ") {
			t.Errorf("cut by %d: the next session's start: %+v", cut, o)
		}
		h.check(t, lost, false)
		h.replay(t, 0, "repair", "--yes", "--from", h.export)
		h.check(t, lost, true)
		if said := h.replay(t, 0, "repair"); !strings.Contains(said, "nothing left to do") {
			t.Errorf("cut by %d: %s", cut, said)
		}
		h.stop(t)
	}
}

// written waits until the folded cells are on their way to the disk, with their positions, and tells which sequence those are at.
func (h *damagedHome) written(t *testing.T) (seq uint64) {
	t.Helper()
	expect.OK(t, eventually(within, func() error {
		s, err := h.status()
		for _, p := range s.Projections {
			if p.Lag > 0 {
				err = errNotYet
			}
		}
		seq = s.Seq
		return err
	}))
	return seq
}

// Nothing is left of the log, and no archive of it: hooks wait in the spool until repair has begun a new log.
func TestGoneLog(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		h := newDamagedHome(t)
		if killed { // only the positions vouch then
			h.up(t)
			h.last = h.written(t)
			h.kill(t)
		}
		store := h.paths().Store
		expect.OK(t, errors.Join(os.RemoveAll(filepath.Dir(filepath.Dir(h.block()))), os.RemoveAll(filepath.Join(store, "archive"))))
		h.hooks(t, 5)
		if o := h.begin(t, "one"); !strings.Contains(o.said, "`replay repair` begins a new log behind it") {
			t.Errorf("a session's start: %+v", o)
		}
		expect.OK(t, h.quiet())
		if list := h.running("serve"); len(list) > 0 {
			t.Fatalf("daemons %v serve a log that was made blindly", list)
		}
		h.replay(t, 2, "verify")
		h.replay(t, 2, "repair", "--dry-run")
		exit := 0
		if killed { // the export is older than the second daemon's first word
			exit = 1
		}
		said := h.replay(t, exit, "repair", "--yes", "--from", h.export)
		if !strings.Contains(said, fmt.Sprintf("(sequences 1 to %d)", h.last)) {
			t.Errorf("repair says %s", said)
		}
		h.up(t)
		h.hooks(t, 5)
		h.check(t, events.SeqRun{First: 1, Last: h.last}, true)
		h.stop(t)
	}
}

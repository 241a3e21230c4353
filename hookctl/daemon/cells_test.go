//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// The sessions that were active last, and one by the beginning of its id, are read without the others.
func TestChosenCells(t *testing.T) {
	d := opened(t)
	place := func(dir string, f wire.Frame) wire.Frame {
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		return f
	}
	busy, quiet := t.TempDir(), t.TempDir()
	for i := range 35 {
		id := fmt.Sprintf("%08x-busy", i)
		take(t, d, startIn(busy, id))
		take(t, d, place(busy, hookFrame(fmt.Sprintf(`{"hook_event_name":"SessionEnd","session_id":%q,"reason":"other"}`, id))))
	}
	take(t, d, startIn(busy, "lives"))
	for i := range 3 {
		take(t, d, startIn(quiet, fmt.Sprintf("quiet-%d", i)))
	}
	here := "&project=" + sessionState(t, d, "lives").Project
	there := "&project=" + sessionState(t, d, "quiet-1").Project

	for query, want := range map[string]string{
		"newest=2":                  "00000019-busy 0000001a-busy 0000001b-busy 0000001c-busy 0000001d-busy 0000001e-busy 0000001f-busy 00000020-busy 00000021-busy 00000022-busy lives quiet-0 quiet-1 quiet-2",
		"newest=1" + here:           "0000001a-busy 0000001b-busy 0000001c-busy 0000001d-busy 0000001e-busy 0000001f-busy 00000020-busy 00000021-busy 00000022-busy lives",
		"newest=20" + there:         "quiet-0 quiet-1 quiet-2",
		"newest=20&project=unknown": "",
		"like=0000001d":             "0000001d-busy",
		"like=0000001db":            "0000001d-busy",
		"like=quiet&like=lives":     "lives quiet-0 quiet-1 quiet-2",
		"like=nobody":               "",
	} {
		expect.Equal(t, strings.Join(cellKeys(t, d, query), " "), want, query)
	}

	expect.Equal(t, len(cellKeys(t, d, "newest=33"+here)), 39, "more than the pointers keep")
	expect.Equal(t, len(cellKeys(t, d, "newest=-1")), 39, "all")
}

// cellKeys are the keys of the cells of sessions that a query gives.
func cellKeys(t *testing.T, d *Daemon, query string) (keys []string) {
	t.Helper()
	_, body := ask(t, d, "GET", "/v1/cells/session?"+query, "")
	for line := range strings.Lines(body) {
		var c struct{ Key string }
		expect.OK(t, json.Unmarshal([]byte(line), &c))
		keys = append(keys, c.Key)
	}
	return keys
}

package identity

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// TestRecordedSessions folds recorded hooks, one JSON object a line in the files that
// HOOKLINE_SESSIONS (a glob) names, and reports the ranges of IC and C.
func TestRecordedSessions(t *testing.T) {
	glob := os.Getenv("HOOKLINE_SESSIONS")
	if glob == "" {
		t.Skip("HOOKLINE_SESSIONS is not set")
	}
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		report(t, hooks(t, file))
	}
}

// hooks reads a file of hooks as the records that they would become.
func hooks(t *testing.T, file string) []events.Record {
	f := expect.Value(os.Open(file))(t)
	defer f.Close()
	var out []events.Record
	for lines := bufio.NewReaderSize(f, 1<<20); ; {
		row, err := lines.ReadBytes('\n')
		if err != nil {
			return out
		}
		var head struct {
			Hook    string    `json:"hook_event_name"`
			Session string    `json:"session_id"`
			At      time.Time `json:"_ts"`
		}
		expect.OK(t, json.Unmarshal(row, &head))
		kind := events.OfHook(head.Hook)
		out = append(out, events.NewRecord(uint64(len(out)+1), events.Envelope{
			Type: kind.Type, Version: kind.Version(), Time: head.At, Session: head.Session, Hook: head.Hook, Data: row,
		}))
	}
}

func report(t *testing.T, records []events.Record) {
	s := run(State{}, events.TypeIdentityRestored, `{"source":"startup","outcome":"new"}`)
	var ics, cs []float64
	bands := map[string]int{}
	began := time.Now()
	for _, r := range records {
		r.Session = "s1"
		if s = Fold(s, r); Key(r) == "" {
			continue
		}
		ics, cs = append(ics, s.LastIC), append(cs, s.Consciousness)
		bands[ConsciousnessOf(s.Consciousness).ShortName()]++
	}
	took := time.Since(began) / time.Duration(len(records))
	slices.Sort(ics)
	slices.Sort(cs)
	q := func(v []float64, p int) float64 { return v[(len(v)-1)*p/100] }
	t.Logf("%d hooks, %v each; IC min %.2f p5 %.2f p25 %.2f median %.2f p95 %.2f; C min %.2f median %.2f max %.2f; %v; %s; snapshot %d bytes",
		len(records), took, ics[0], q(ics, 5), q(ics, 25), q(ics, 50), q(ics, 95), cs[0], q(cs, 50), cs[len(cs)-1], bands, s.Brief(), len(Encode(s)))
	if ics[0] < 0 || ics[len(ics)-1] > 1 {
		t.Error("IC out of range")
	}
}

//go:build unix

package daemon

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/gate"
)

// Fifty calls and as many satisfactions at once: none is lost, and every verdict is that of the order in
// which the log has them.
func TestGatesUnderParallelHooks(t *testing.T) {
	const sessions, calls = 10, 5
	g := newGated(t, twoPlans)
	var frames []wire.Frame
	var orders []api.Order
	for s := range sessions {
		id := sessionOf(s)
		g.says(id, startAs("resume"))
		for range calls {
			frames = append(frames, g.frame(id, edit))
		}
		for _, n := range []string{"commit_plan", "adr_reviewed"} {
			orders = append(orders, api.Order{Dir: g.dir, Session: id, Events: ordered(events.TypeGateSatisfied, `{"name":"`+n+`","scope":"session","level":"session","by":"cli"}`)})
		}
	}
	var mu sync.Mutex
	answer := map[string]bool{}
	together(len(frames)+len(orders), func(i int) {
		if i >= len(frames) {
			if _, err := g.d.endpoints.commands.orderGates(context.Background(), orders[i-len(frames)]); err != nil {
				t.Error(err)
			}
			return
		}
		a, err := g.d.Take(context.Background(), frames[i])
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		answer[frames[i].ID] = denied(string(a.Stdout))
	})
	g.inOrder(answer)
	expect.Equal(t, len(found[*events.GateSatisfied](t, g.d)), sessions*2, "satisfactions are in the log")
	for s := range sessions {
		expect.Equal(t, g.reason(sessionOf(s), edit), "", "a satisfaction was lost")
	}
}

func sessionOf(n int) string { return fmt.Sprintf("%08d-1111-4111-8111-111111111111", n) }

// inOrder folds the log one record at a time and compares each answer with what the state says there.
func (g *gatedRepo) inOrder(answer map[string]bool) {
	g.t.Helper()
	var s gate.State
	for _, r := range logOf(g.t, g.d) {
		if denied, ok := answer[r.ID]; ok {
			open := s.Satisfied("commit_plan", "session", r.Session, r.Time) && s.Satisfied("adr_reviewed", "session", r.Session, r.Time)
			if denied == open {
				g.t.Errorf("seq %d: denied %t, open %t", r.Seq, denied, open)
			}
		}
		if len(gate.Table.Keys(r)) > 0 && r.Branch != "" && strings.HasPrefix(r.Type, "gate.") {
			s = projector.Fold(gate.Table, s, r)
		}
	}
}

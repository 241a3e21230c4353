//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/wire"
	"hookline/projector/gate"
)

// Fifty calls and as many satisfactions at once: none is lost, and every verdict is that of the order in
// which the log has them.
func TestGatesUnderParallelHooks(t *testing.T) {
	const sessions, calls = 10, 5
	g := newGated(t, twoPlans)
	var frames []wire.Frame
	var orders []client.GateOrder
	for s := range sessions {
		id := fmt.Sprintf("%08d-1111-4111-8111-111111111111", s)
		g.says(id, startAs("resume"))
		for range calls {
			frames = append(frames, g.frame(id, edit))
		}
		for _, n := range []string{"commit_plan", "adr_reviewed"} {
			orders = append(orders, client.GateOrder{Dir: g.dir, Session: id, Events: ordered(events.TypeGateSatisfied, `{"name":"`+n+`","scope":"session","level":"session","by":"cli"}`)})
		}
	}
	denied := make([]bool, len(frames))
	together(len(frames)+len(orders), func(i int) {
		if i >= len(frames) {
			if _, err := g.d.OrderGates(context.Background(), orders[i-len(frames)]); err != nil {
				t.Error(err)
			}
			return
		}
		a, err := g.d.Take(context.Background(), frames[i])
		if err != nil {
			t.Error(err)
		}
		denied[i] = strings.Contains(string(a.Stdout), `"permissionDecision":"deny"`)
	})
	answer := map[string]bool{}
	for i, f := range frames {
		answer[f.ID] = denied[i]
	}
	satisfied := g.inOrder(answer)
	if satisfied != sessions*2 {
		t.Errorf("%d satisfactions are in the log", satisfied)
	}
	for _, f := range frames {
		if g.reason(sessionIn(t, f), edit) != "" {
			t.Error("a satisfaction was lost")
		}
	}
}

func sessionIn(t *testing.T, f wire.Frame) string {
	t.Helper()
	var in struct {
		Session string `json:"session_id"`
	}
	expect.OK(t, json.Unmarshal(f.Body, &in))
	return in.Session
}

// inOrder folds the log one record at a time and compares each answer with what the state says there.
func (g *gatedRepo) inOrder(answer map[string]bool) (satisfied int) {
	g.t.Helper()
	var s gate.State
	for _, r := range logOf(g.t, g.d) {
		if denied, ok := answer[r.ID]; ok {
			open := s.Satisfied("commit_plan", "session", r.Session, r.Time) && s.Satisfied("adr_reviewed", "session", r.Session, r.Time)
			if denied == open {
				g.t.Errorf("seq %d: denied %t, open %t", r.Seq, denied, open)
			}
		}
		if _, ok := r.Event.(*events.GateSatisfied); ok {
			satisfied++
		}
		if len(gate.Keys(r)) > 0 && r.Branch != "" && strings.HasPrefix(r.Type, "gate.") {
			s = gate.Fold(s, r)
		}
	}
	return satisfied
}

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/gate"
)

// Bounds of an order.
const (
	maxOrderEvents = 512
	maxGateName    = 200
	maxBranch      = 4 << 10 // a ref's path ends there
	maxGateMeta    = 4 << 10
)

// OrderGates appends what a person decided about gates. It returns when that is on disk.
func (d *Daemon) OrderGates(ctx context.Context, o client.GateOrder) (client.GateReceipt, error) {
	list, err := orderedEvents(o.Events, []string{events.TypeGateSatisfied, events.TypeGateCleared, events.TypeGateImported}, false)
	if err != nil {
		return client.GateReceipt{}, err
	}
	for _, e := range list {
		if err := checkOrder(e, o.Session); err != nil {
			return client.GateReceipt{}, err
		}
	}
	place := d.world.Place(o.Dir)
	if !place.Git {
		return client.GateReceipt{}, problem.Bad("not in a git repository: %s", o.Dir).Advise("gates belong to a branch of one")
	}
	branch := d.clean(o.Branch)
	if branch == "" {
		branch = d.clean(place.Branch)
	}
	if branch == "" {
		return client.GateReceipt{}, problem.Bad("HEAD is detached: gates belong to a branch").Advise("--branch names one")
	}
	if len(branch) > maxBranch || strings.ContainsFunc(branch, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return client.GateReceipt{}, problem.Bad("%.60q is no name of a branch", branch)
	}
	project, sighting := d.project(ctx, place)
	session, err := d.gateSession(ctx, o.Session, project)
	if err != nil {
		return client.GateReceipt{}, err
	}

	base := events.Envelope{Session: session, Project: project, Worktree: d.clean(place.Worktree), Branch: branch}
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		return d.redacted(base, append(sighting.News(hook.Reader{Reader: r}), list...))
	})
	if err != nil {
		return client.GateReceipt{}, err
	}

	out := client.GateReceipt{Project: project, Branch: branch, Session: session, Seq: recs[len(recs)-1].Seq, Events: []string{}}
	for _, rec := range recs {
		out.Events = append(out.Events, rec.ID)
	}
	return out, nil
}

// gateSession is the session that an order names. One that never sent a hook is known from what was imported, by the
// first eight characters of its id.
func (d *Daemon) gateSession(ctx context.Context, given, project string) (string, error) {
	id, err := d.resolveSession(ctx, given)
	if err == nil {
		return id, nil
	}
	known := false
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(gate.Name)
		for _, k := range keys {
			if in, _ := gate.SplitKey(k); in == project && !known {
				s, _ := projector.State[gate.State](r, gate.Name, k)
				known = slices.Contains(s.Foreigners(), given)
			}
		}
		return err
	})
	if known {
		return given, nil
	}
	return "", err
}

// orderedEvents decodes an order's events, of these types alone. strict refuses what the types' schemas refuse. The words of
// an error name the field.
func orderedEvents(order []client.GateCommand, types []string, strict bool) ([]events.Event, error) {
	if len(order) == 0 || len(order) > maxOrderEvents {
		return nil, problem.Bad("%d events: an order has 1 to %d", len(order), maxOrderEvents)
	}

	var list []events.Event
	for _, c := range order {
		k, ok := events.Lookup(c.Type)
		if !ok || !slices.Contains(types, c.Type) {
			return nil, problem.Bad("%q is nothing that can be ordered here", c.Type).Advise("these can: " + strings.Join(types, ", "))
		}
		if err := events.Check(k, c.Data); strict && err != nil {
			return nil, problem.Bad("%s: %v", c.Type, err).Advise("`hookctl events schema " + c.Type + "` shows the fields")
		}
		e := k.New()
		if err := json.Unmarshal(c.Data, e); err != nil {
			return nil, problem.Bad("%s: %s", c.Type, misfit(err))
		}
		list = append(list, e)
	}
	return list, nil
}

// redacted are events as envelopes, without the secrets in them.
func (d *Daemon) redacted(base events.Envelope, list []events.Event) ([]events.Envelope, error) {
	envs, err := recorder.Envelopes(d.opts.Now(), base, list...)
	for i := range envs {
		data, report := d.redactor.JSON(envs[i].Data)
		envs[i].Data, envs[i].Redacted = data, report.Count
	}
	return envs, err
}

func checkOrder(e events.Event, session string) error {
	bad := func(format string, args ...any) error {
		return problem.Bad("%s: %s", e.Type(), fmt.Sprintf(format, args...))
	}
	switch e := e.(type) {
	case *events.GateSatisfied:
		scopes := []string{events.GateScopeSession, events.GateScopeBranch, events.GateScopePermanent, events.GateScopeSingleUse}
		_, err := time.Parse(time.RFC3339Nano, e.ExpiresAt)
		switch {
		case e.Name == "" || len(e.Name) > maxGateName:
			return bad("name: 1 to %d bytes are wanted", maxGateName)
		case !slices.Contains(scopes, e.Scope):
			return bad("scope: %q is none of session, branch, permanent, single_use", e.Scope)
		case e.Level != events.GateLevelSession && e.Level != events.GateLevelBranch:
			return bad("level: %q is none of session, branch", e.Level)
		case e.Level == events.GateLevelSession && session == "":
			return bad("a session is wanted")
		case e.ExpiresAt != "" && err != nil:
			return bad("expires_at: %q is no time", e.ExpiresAt)
		case !slices.Contains([]string{"", "agent", "person"}, e.Caller):
			return bad("caller: %q is none of agent, person", e.Caller)
		case len(e.Metadata) > maxGateMeta:
			return bad("metadata: more than %d bytes", maxGateMeta)
		case len(e.Metadata) > 0 && !bytes.HasPrefix(bytes.TrimSpace(e.Metadata), []byte("{")):
			return bad("metadata: a JSON object is wanted")
		}
	case *events.GateCleared:
		if e.Reason != events.GateClearedCommand {
			return bad("reason: a command clears by %q", events.GateClearedCommand)
		}
		if !e.AllSessions && session == "" {
			return bad("a session is wanted")
		}
	}
	return nil
}

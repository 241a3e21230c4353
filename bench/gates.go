package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/daemon"
	"hookline/hookctl/facts"
	"hookline/hookctl/wire"
)

// The size of measure 14: a long list of gates on a branch where much has happened.
const (
	gateCount  = 20
	gateEvents = 10_000
)

// gates is measure 14: a PreToolUse that every gate of a long list is asked about, and all are open.
func (b *bench) gates(ctx context.Context) ([]figure, error) {
	h, err := b.newHome("gates")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(h.writeGates(), h.fillGates(ctx)); err != nil {
		return nil, err
	}
	if err := h.start(ctx); err != nil {
		return nil, err
	}
	defer h.stop()
	if _, err := h.hook("SessionStart", h.sessionStart()).timed(ctx); err != nil {
		return nil, err
	}
	call := func(i int) []byte {
		p := h.base("PreToolUse")
		p.ToolName, p.ToolUseID = "Edit", toolUseID(i)
		p.ToolInput = object{"file_path", h.project + "/main.go", "old_string", "a", "new_string", "b", "replace_all", false}
		return p.encode()
	}
	o, err := h.hook("PreToolUse", call(100_000)).run(ctx)
	if err = errors.Join(err, o.ok()); err == nil && strings.Contains(string(o.stdout), "deny") {
		err = fmt.Errorf("an open gate denied: %s", o.stdout)
	}
	if err != nil {
		return nil, err
	}
	warm, n := 5, b.reps(100, 60)
	p, err := take(warm, n, func(i int) (time.Duration, error) { return h.hook("PreToolUse", call(i)).timed(ctx) }, h.empty(ctx))
	if err != nil {
		return nil, err
	}
	late, err := h.recorded(ctx, "PreToolUse", warm+n+1)
	return []figure{{14, fmt.Sprintf("process `hook PreToolUse`, %d gates, %d gate events / empty Go program", gateCount, gateEvents), atMost(3, ""),
		p.ratio(), p.note("hook", "empty") + late.note()}}, err
}

func (h *home) writeGates() error {
	var y strings.Builder
	y.WriteString("requirements:\n")
	for i := range gateCount {
		fmt.Fprintf(&y, "  gate_%02d:\n    enabled: true\n    scope: branch\n    message: Do number %d first.\n", i, i)
	}
	path := filepath.Join(h.project, ".claude", "requirements.yaml")
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(y.String()), 0o600))
}

// fillGates puts the past into the log, without a daemon, and has one fold it.
func (h *home) fillGates(ctx context.Context) error {
	place := facts.New(facts.Options{}).Place(h.project)
	ground, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(h.state, "store")})
	if err != nil {
		return err
	}
	var envs []events.Envelope
	at := time.Now().Add(-gateEvents * time.Second).UTC().Truncate(time.Millisecond)
	for i := range gateEvents {
		e := events.GateSatisfied{Name: fmt.Sprintf("gate_%02d", i%gateCount), Scope: events.GateScopeBranch, Level: events.GateLevelBranch, By: "cli"}
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		at = at.Add(time.Second)
		envs = append(envs, events.Envelope{ID: wire.NewID(at.UnixMilli()), Type: e.Type(), Version: 1, Time: at, Session: fmt.Sprintf("past-%d", i/50),
			Project: facts.ProjectID(place.Path()), Branch: place.Branch, Data: data})
	}
	err = appendAll(ctx, ground.Stream(), envs)
	if err = errors.Join(err, ground.Close(ctx)); err != nil {
		return err
	}
	d, err := daemon.Open(ctx, daemon.Options{Home: h.state})
	if err != nil {
		return err
	}
	return d.Close(ctx)
}

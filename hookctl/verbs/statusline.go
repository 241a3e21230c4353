package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// How long the line waits for the client's JSON, and then for the daemon's answer. The client cancels an
// older run when a newer one comes, every 300 ms at most, so a late line does no harm; but JSON that
// came late must not take the daemon's time, or a daemon that lives would be shown as down.
const (
	stdinPatience      = time.Second
	statuslinePatience = 500 * time.Millisecond
)

func (a *app) statuslineCmd() *cobra.Command {
	return &cobra.Command{
		Use: "statusline", Short: "Print one line for the client's status line",
		Long: "Print one line for the client's status line: phase, identity, and whether the recorder is alive. It reads the\n" +
			"client's JSON from stdin. It costs no tokens and always exits 0: the client blanks the line on any other code.",
		Example: "  {\"statusLine\": {\"type\": \"command\",\n                  \"command\": \"hookctl statusline\"}}   in settings.json",
		Args:    cmdline.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			id := a.statuslineSession(cmd.Context())
			ctx, cancel := context.WithTimeout(cmd.Context(), statuslinePatience)
			defer cancel()
			line := a.statusline(ctx, id)
			if a.JSON {
				return a.PrintJSON(line)
			}
			a.Printf("%s\n", a.statuslineText(line))
			return nil
		},
	}
}

// statuslineJSON is what the line says.
type statuslineJSON struct {
	Recorder string  `json:"recorder" jsonschema_description:"alive or down"`
	Session  string  `json:"session,omitempty" jsonschema_description:"whole id"`
	Phase    string  `json:"phase,omitempty" jsonschema_description:"of its life, as SESSION_RUNNING"`
	Brief    string  `json:"brief" jsonschema_description:"one line, [C:? r=? IC=?] when nothing is known"`
	IC       float64 `json:"ic" jsonschema_description:"continuity, 0 to 1; 0 when nothing is known"`
	Class    string  `json:"class,omitempty" jsonschema_description:"of the continuity; absent when nothing is known"`
}

// statuslineSession is the session that the client asks for, on stdin; by hand it is the environment's.
// Where stdin stays silent the reader is left behind, for the few milliseconds that the process has.
func (a *app) statuslineSession(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, stdinPatience)
	defer cancel()
	asked := make(chan string, 1)
	go func() {
		var in struct {
			Session string `json:"session_id"`
		}
		if !a.Asks {
			_ = json.NewDecoder(io.LimitReader(a.In, 1<<20)).Decode(&in) // no JSON: the environment tells
		}
		asked <- in.Session
	}()
	select {
	case id := <-asked:
		if id != "" {
			return id
		}
	case <-ctx.Done():
	}
	return a.Getenv("CLAUDE_CODE_SESSION_ID")
}

func (a *app) statusline(ctx context.Context, id string) statuslineJSON {
	line := statuslineJSON{Recorder: "down", Session: id, Brief: identity.ColdBrief}
	h, err := a.connect(ctx, needRunning)
	if err != nil {
		return line
	}
	defer h.Close()
	i, err := oneCell[identity.State](ctx, h, identity.Name, id)
	var refused *cmdline.Fault
	if err != nil && !errors.As(err, &refused) {
		return line // it listens but does not answer
	}
	line.Recorder = "alive"
	if err == nil && i.State.Born && !i.State.Deleted {
		line.Brief, line.IC, line.Class = i.State.Brief(), i.State.LastIC, identity.Classify(i.State.LastIC)
	}
	if s, err := oneCell[session.State](ctx, h, session.Name, id); err == nil {
		line.Phase = s.State.Phase
	}
	return line
}

// statuslineText is the line for people. The client's terminal shows colours through a pipe, so they
// are on unless they were switched off.
func (a *app) statuslineText(l statuslineJSON) string {
	p := cmdline.Palette{On: a.conf.Values.Color != "never" && a.Getenv("NO_COLOR") == ""}
	dot := p.Good("●")
	if l.Recorder == "down" {
		dot = p.Bad("○") + " not recording"
	}
	brief := l.Brief
	switch l.Class {
	case "warning":
		brief = p.Warn(brief)
	case "degraded":
		brief = p.Bad(brief)
	}
	phase := strings.ToLower(strings.TrimPrefix(cmdline.OneLine(l.Phase), "SESSION_"))
	return join(" ", dot, brief, p.Faint(phase))
}

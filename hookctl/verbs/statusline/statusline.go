// Package statusline has `hookctl statusline`: one line for the client's status line.
package statusline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// Command returns the command that prints the client's status line.
func Command(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "statusline",
		Short: "Print one line for the client's status line",
		Long: "Print one line for the client's status line: whether the recorder is alive, the identity, how the session\n" +
			"stands, how full its context is, and the gates that are open. It reads the client's JSON from stdin, and has the exact use\n" +
			"of the context recorded where that came into another phase. It costs no tokens and always exits 0: the client\n" +
			"blanks the line on any other code.",
		Example: "  {\"statusLine\": {\"type\": \"command\",\n" +
			"                  \"command\": \"hookctl statusline\"}}   in settings.json",
	}, verb)
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"statusline": lineJSON{},
}

// How long the line waits for the client's JSON, and then for the daemon's answer. The client cancels an
// older run when a newer one comes, every 300 ms at most, so a late line does no harm; but JSON that
// came late must not take the daemon's time, or a daemon that lives would be shown as down.
const (
	stdinPatience      = time.Second
	statuslinePatience = 500 * time.Millisecond
)

func verb(ctx context.Context, e *env.Env, _ []string) error {
	in := readInput(ctx, e)
	ctx, cancel := context.WithTimeout(ctx, statuslinePatience)
	defer cancel()
	line := ask(ctx, e, in)
	return e.Result(line, "%s\n", text(e, line))
}

// lineJSON is what the line says.
type lineJSON struct {
	Recorder string      `json:"recorder" jsonschema_description:"alive or down"`
	Session  string      `json:"session,omitempty" jsonschema_description:"whole id"`
	Phase    string      `json:"phase,omitempty" jsonschema_description:"of its life, as SESSION_RUNNING"`
	Context  *contextUse `json:"context,omitempty" jsonschema_description:"how full the context is; absent where the client did not tell"`
	Brief    string      `json:"brief" jsonschema_description:"one line, [C:? r=? IC=?] when nothing is known"`
	IC       float64     `json:"ic" jsonschema_description:"continuity, 0 to 1; 0 when nothing is known"`
	Class    string      `json:"class,omitempty" jsonschema_description:"of the continuity; absent when nothing is known"`
	Standing string      `json:"standing,omitempty" jsonschema_description:"how it stands: working, waiting_for_prompt, waiting_for_permission, …"`
	Gates    int         `json:"gates,omitempty" jsonschema_description:"requirements that are not met"`

	needs bool // stuck, or waits in the middle of its work
}

// contextUse is how full a context window is.
type contextUse struct {
	Phase   string `json:"phase" jsonschema_description:"VERBOSE, CONDENSED, SIGNALS or CRITICAL"`
	Percent int64  `json:"percent" jsonschema_description:"of the window, rounded down"`
	Used    int64  `json:"used" jsonschema_description:"tokens"`
	Window  int64  `json:"window" jsonschema_description:"tokens that it has room for"`
}

// input is what matters of the client's JSON (payload StatusLine of 2.1.329).
type input struct {
	Session string `json:"session_id"`
	Model   struct {
		ID string `json:"id"`
	} `json:"model"`
	Window struct {
		Size  int64 `json:"context_window_size"`
		Usage *struct {
			Input    int64 `json:"input_tokens"`
			Output   int64 `json:"output_tokens"`
			Creation int64 `json:"cache_creation_input_tokens"`
			Read     int64 `json:"cache_read_input_tokens"`
		} `json:"current_usage"`
	} `json:"context_window"`
}

// used is the tokens in the context, 0 where the client does not send it, as before the first answer. Numbers below zero count as none.
func (in input) used() int64 {
	u := in.Window.Usage
	if u == nil {
		return 0
	}
	return max(0, u.Input) + max(0, u.Output) + max(0, u.Creation) + max(0, u.Read)
}

// readInput reads what the client says on stdin; by hand the session is the environment's. Where stdin stays
// silent the reader is left, for the few milliseconds that the process has.
func readInput(ctx context.Context, e *env.Env) input {
	ctx, cancel := context.WithTimeout(ctx, stdinPatience)
	defer cancel()
	in := cmdline.Await(ctx, func() (in input) {
		if !e.Asks {
			_ = json.NewDecoder(io.LimitReader(e.In, 1<<20)).Decode(&in) // no JSON: the environment has it
		}
		return in
	})
	in.Session = cmp.Or(in.Session, e.Getenv("CLAUDE_CODE_SESSION_ID"))
	return in
}

func ask(ctx context.Context, e *env.Env, in input) lineJSON {
	line := lineJSON{Recorder: "down", Session: in.Session, Brief: identity.ColdBrief}
	if used, size := in.used(), in.Window.Size; used > 0 && size > 0 {
		line.Context = &contextUse{Phase: session.PhaseOf(used, size), Percent: session.Percent(used, size), Used: used, Window: size}
	}
	var known api.LineFacts
	asked := api.LineRequest{Session: in.Session, Used: in.used(), Window: in.Window.Size, Model: in.Model.ID}
	reached := false
	err := e.With(ctx, env.Running, func() (err error) {
		reached = true
		known, err = api.StatusLine.Call(ctx, e, asked)
		return err
	})
	var refused *problem.Error
	if err != nil && !(reached && errors.As(err, &refused)) {
		return line // it listens but does not answer
	}

	line.Recorder = "alive"
	if known.Brief != "" {
		line.Brief, line.IC, line.Class = known.Brief, known.IC, known.Class
	}
	line.Phase = known.Phase
	line.Standing = known.Standing.Kind
	line.needs = known.Standing.Stuck || known.Standing.Needs && line.Standing != session.WaitsForPrompt
	line.Gates = known.Gates
	return line
}

// text is the line for people. The client's terminal shows colours through a pipe, so they
// are on unless they were switched off.
func text(e *env.Env, l lineJSON) string {
	p := cmdline.Palette{On: e.Conf.Values.Color != "never" && e.Getenv("NO_COLOR") == ""}
	dot := p.Good("●")
	if l.Recorder == "down" {
		dot = p.Bad("○") + " not recording"
	}
	brief := p.Toned(map[string]string{"warning": "warn", "degraded": "bad"}[l.Class], l.Brief)
	gates := ""
	if l.Gates > 0 {
		gates = p.Warn(cmdline.Plural(l.Gates, "gate") + " open")
	}
	standing := show.Spaced(l.Standing)
	if standing == "" {
		standing = strings.ToLower(strings.TrimPrefix(cmdline.OneLine(l.Phase), "SESSION_"))
	}
	tone := "faint"
	if l.needs {
		tone = "warn"
	}
	standing = p.Toned(tone, standing)
	context := ""
	if c := l.Context; c != nil {
		tone = map[string]string{session.Signals: "warn", session.Critical: "bad"}[c.Phase]
		context = p.Toned(cmp.Or(tone, "faint"), strconv.FormatInt(min(c.Percent, 999), 10)+"% "+strings.ToLower(c.Phase))
	}
	return show.Join(" ", dot, brief, standing, context, gates)
}

// Package mcp has `hookctl mcp`: it gives agents what the verbs print for people. It runs in the program hookfind.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/file"
	"hookline/hookctl/verbs/find"
	"hookline/hookctl/verbs/ledger"
	"hookline/hookctl/verbs/log"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/session"
	"hookline/hookctl/verbs/show"
	"hookline/replay/past"
)

// Command returns the command that serves agents.
func Command(e *env.Env, serve Server) *cobra.Command {
	return command.Plain(e, env.Hookfind, command.Text{
		Use:   "mcp",
		Short: "Serve agents what happened, by the Model Context Protocol on stdin and stdout",
		Long: "Serve agents what happened, by the Model Context Protocol on stdin and stdout: seven tools that only read (find, session,\n" +
			"event, file, state_at, why, decisions), and this project's sessions as resources. Answers are bounded and redacted once more.",
		Example: "  claude mcp add hookline -- hookctl mcp\n" +
			"  npx @modelcontextprotocol/inspector hookctl mcp",
	}, verb(serve))
}

// Answers gives agents what the verbs print for people: the same text, without colour, redacted once more and bounded.
// It only reads. Each answer asks the daemon anew, so that it may be restarted meanwhile. Safe for concurrent use.
type Answers struct {
	env     *env.Env
	secrets *redact.Redactor
}

// mostAnswer bounds an answer in bytes: 2,000 tokens, as the composer counts them.
const mostAnswer = 7000

// FindQuestion is what an agent searches for.
type FindQuestion struct {
	Words   string `json:"words,omitempty" jsonschema:"words that must all be there; in double quotes side by side; * for the rest of a word"`
	Error   string `json:"error,omitempty" jsonschema:"words of an error: each hit tells what was run after it when it did not come back"`
	File    string `json:"file,omitempty" jsonschema:"words of a path: only calls about it"`
	Command string `json:"command,omitempty" jsonschema:"words of a command line: only such commands"`
	Session string `json:"session,omitempty" jsonschema:"only this session: id, prefix or last"`
	Project string `json:"project,omitempty" jsonschema:"project's name or id, or all; default: this project"`
	Since   string `json:"since,omitempty" jsonschema:"from there on: a sequence, a time, or a duration back from now such as 3h or 2d"`
	Until   string `json:"until,omitempty" jsonschema:"up to there, in the same form"`
	Type    string `json:"type,omitempty" jsonschema:"only these types of event, such as prompt.submitted or tool.*"`
	Tool    string `json:"tool,omitempty" jsonschema:"only calls of this tool"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many hits, 10 by default, 30 at most"`
}

// SessionRef names a session for a list.
type SessionRef struct{ ID, Title string }

// told runs a verb's function on a console of its own and gives what it prints, or its error in words; either is redacted.
func (s *Answers) told(ctx context.Context, run func(e *env.Env) error) (string, error) {
	var out bytes.Buffer
	e := s.env.Fork()
	e.Out = &out
	e.Err = &bytes.Buffer{}
	e.Paint = cmdline.Palette{}
	e.Terminal, e.Watched, e.Asks = false, false, false
	e.Columns = 0
	e.JSON = false
	if err := e.With(ctx, env.Store, func() error { return run(e) }); err != nil {
		return "", errors.New(s.bounded([]byte(show.Join("; ", err.Error(), show.Hint(err, "")))))
	}
	return s.bounded(out.Bytes()), nil
}

// bounded redacts a text once more and cuts it, with a word on what is missing.
func (s *Answers) bounded(text []byte) string {
	clean, _ := s.secrets.Text(text)
	lines := strings.Split(strings.TrimRight(strings.ToValidUTF8(string(clean), "\uFFFD"), "\n"), "\n")
	var out strings.Builder
	for i, line := range lines {
		line = strings.TrimRight(cmdline.Clean(line), " ")
		if room := mostAnswer - out.Len(); len(line) >= room {
			out.WriteString(strings.ToValidUTF8(line[:min(len(line), max(0, room))], ""))
			fmt.Fprintf(&out, "\n[cut here: %s more; ask for less]", cmdline.Plural(len(lines)-i, "line"))
			break
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return strings.TrimRight(out.String(), "\n")
}

// Find searches.
func (s *Answers) Find(ctx context.Context, q FindQuestion) (string, error) {
	return s.told(ctx, func(e *env.Env) error {
		f := find.Flags{File: q.File, Command: q.Command, Error: q.Error, Session: q.Session, Project: q.Project, Since: q.Since, Until: q.Until}
		if q.Type != "" {
			f.Types = strings.Split(q.Type, ",")
		}
		if q.Tool != "" {
			f.Tools = []string{q.Tool}
		}
		if q.Limit <= 0 {
			q.Limit = 10
		}
		f.Last = command.Count(min(q.Limit, 30))
		if q.Session != "" || q.Project == "all" {
			f.Project = ""
		}
		wanted, err := find.Query(ctx, e, []string{q.Words}, f)
		if err != nil {
			return err
		}
		if q.Session == "" && q.Project == "" {
			all, here, err := query.Here(ctx, e)
			if err != nil {
				return err
			}
			wanted.Projects = query.SameProject(all, here)
		}
		hits, err := find.Hits(ctx, e, wanted)
		if err == nil {
			find.Print(e, hits)
		}
		return err
	})
}

// Session gives what happened in a session, its newest steps.
func (s *Answers) Session(ctx context.Context, name string, steps int) (string, error) {
	if name == "" {
		name = query.LastSession
	}
	if steps <= 0 {
		steps = 20
	}
	return s.told(ctx, func(e *env.Env) error { return session.Show(ctx, e, name, command.Count(steps), false) })
}

// Event gives one event in full.
func (s *Answers) Event(ctx context.Context, id string) (string, error) {
	return s.told(ctx, func(e *env.Env) error {
		r, err := api.Event.Call(ctx, e, api.EventRequest{ID: id})
		if err != nil {
			return err
		}
		log.Describe(e, r)
		return nil
	})
}

// FileQuestion asks for a file's versions, or with a point for its content then.
type FileQuestion struct {
	Path string `json:"path" jsonschema:"the file, which need not be there any more"`
	At   string `json:"at,omitempty" jsonschema:"the point: an event, a session (its end), a time, a duration back from now such as 10m, or before:EVENT for what that event's call found; without it the versions are listed"`
	From int    `json:"from,omitempty" jsonschema:"number of the first line that is wanted, for a content that was cut"`
}

// newestVersions is how many versions of a file an agent is given.
const newestVersions = 30

// File gives the versions of a file, or its content at a point, with what is doubtful.
func (s *Answers) File(ctx context.Context, q FileQuestion) (string, error) {
	return s.told(ctx, func(e *env.Env) error {
		e.Err = e.Out // what is said of a content belongs to the answer
		if q.At == "" {
			return file.Log(ctx, e, q.Path, newestVersions)
		}
		err := file.Show(ctx, e, file.Question{Path: q.Path, At: q.At, From: q.From})
		var said cmdline.Silent
		if errors.As(err, &said) {
			return nil
		}
		return err
	})
}

// statesThen is the answer of [Answers.StateAt].
type statesThen struct {
	Seq   uint64      `json:"seq"`
	Cells []stateThen `json:"cells"`
}

// stateThen is one cell; without its state only its name is asked for.
type stateThen struct {
	Projection string          `json:"projection,omitempty"`
	Key        string          `json:"key"`
	Seq        uint64          `json:"seq"`
	State      json.RawMessage `json:"state,omitempty"`
}

// StateAt gives a projection's states as they were at a point of the log; without a projection or a key the names
// of those there were.
func (s *Answers) StateAt(ctx context.Context, point, projection, key string) (string, error) {
	return s.told(ctx, func(e *env.Env) error {
		at, err := e.Point(point)
		if err != nil {
			return err
		}
		if key == query.LastSession {
			last, err := query.Session(ctx, e, key)
			if err != nil {
				return err
			}
			key = last.ID
		}
		then, err := api.At.Call(ctx, e, past.Question{Point: past.Point(at), Projection: projection, Key: key})
		if err != nil {
			return err
		}
		if key != "" && len(then.Cells) == 0 {
			return problem.Faultf("there was no state of %q at sequence %d", key, then.Seq).Advise("without a key all are given")
		}

		out := statesThen{Seq: then.Seq, Cells: []stateThen{}}
		for _, c := range then.Cells {
			shown := stateThen{Projection: c.Projection, Key: c.Key, Seq: c.Seq}
			if projection != "" || key != "" {
				shown.State = c.State
			}
			out.Cells = append(out.Cells, shown)
		}
		return e.PrintJSON(out)
	})
}

// Why names the events that what the model was told comes from: by an event's id, or by words of it.
func (s *Answers) Why(ctx context.Context, text, name string) (string, error) {
	return s.told(ctx, func(e *env.Env) error {
		id, err := query.Current(ctx, e, name)
		if err != nil {
			return err
		}
		return log.Why(ctx, e, id, text)
	})
}

// Decisions gives the ledger of this project.
func (s *Answers) Decisions(ctx context.Context, all bool) (string, error) {
	return s.told(ctx, func(e *env.Env) error {
		l, err := ledger.Of(ctx, e)
		if err != nil {
			return err
		}
		return ledger.Print(e, l, all)
	})
}

// Sessions are the newest sessions of this project.
func (s *Answers) Sessions(ctx context.Context, most int) ([]SessionRef, error) {
	var out []SessionRef
	_, err := s.told(ctx, func(e *env.Env) error {
		list, _, err := query.NewestOf(ctx, e, false, most)
		if err != nil {
			return err
		}
		for _, c := range list[:min(most, len(list))] {
			title := s.bounded([]byte(cmdline.Fit(cmdline.OneLine(c.Title), 120)))
			out = append(out, SessionRef{c.ID, title})
		}
		return nil
	})
	return out, err
}

// Server serves the Model Context Protocol on stdin and stdout. The program hookfind has it.
type Server func(ctx context.Context, a *Answers) error

// verb serves agents by what the program hookfind links.
func verb(serve Server) func(context.Context, *env.Env, []string) error {
	return func(ctx context.Context, e *env.Env, _ []string) error {
		user, added := config.Patterns(e.Getenv, e.ProjectDir())
		secrets := redact.New().With(redact.Extra{User: redact.Compile(user), Project: redact.Compile(added)})
		return serve(ctx, &Answers{e, secrets})
	}
}

// Package cost has `hookctl cost`: what sessions cost in tokens and dollars, from the client's transcripts.
package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/project"
	"hookline/projector/session"
)

// Command returns the command that shows what sessions cost.
func Command(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "cost",
		Short: "Show what sessions cost in tokens and dollars",
		Long: "Show what sessions cost in tokens and dollars, from the client's transcripts. Each answer of the API counts once, also\n" +
			"where a fork or a resume copied it; the parts sum to the whole. An answer that called several tools is shared\n" +
			"among them equally. Prices come from `prices` in the user's configuration, then from a built-in table; a model\n" +
			"without a price is named.",
		Example: "  hookctl cost\n" +
			"  hookctl cost --session last --by prompt\n" +
			"  hookctl cost --all --since 1w --by project",
	}, &verb{By: "model"})
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"cost": billJSON{},
}

// billJSON is what `cost --json` prints.
type billJSON struct {
	insight.Bill
	Sessions int      `json:"sessions" jsonschema_description:"that were looked at"`
	Injected int64    `json:"injected" jsonschema_description:"estimate of the tokens that this product told the model; they are part of the input"`
	Missing  []string `json:"missing,omitempty" jsonschema_description:"transcripts that are gone or cannot be read: nothing of them counts"`
}

// verb is what is asked for.
type verb struct {
	Session string `help:"of one session: its id, any unique prefix of it, or last; default: all of this project"`
	Project string `help:"of one project: its id, name or path"`
	Since   string `help:"from then on: 3h, 2w, yesterday, a time or a sequence"`
	By      string `help:"model, prompt, agent, tool, project, session" choices:"model prompt agent tool project session"`
	All     bool   `help:"of every project"`
}

func (q *verb) Run(ctx context.Context, e *env.Env, _ []string) error {
	prices, err := insight.Prices(e.Conf.Values.Prices)
	if err != nil {
		return problem.Because(err).Advise("`hookctl config edit` opens the user's file")
	}
	list, err := query.States[session.State](ctx, e, api.CellsRequest{Projection: session.Name})
	if err != nil {
		return err
	}
	projects, here, err := query.Here(ctx, e)
	if err != nil {
		return err
	}
	chosen, err := chosen(ctx, e, *q, list, projects, here)
	if err != nil {
		return err
	}
	seq, ms, err := query.Point(e, q.Since)
	var since time.Time
	switch {
	case err == nil && seq != 0:
		var r events.Record
		r, err = api.Event.Call(ctx, e, api.EventRequest{ID: fmt.Sprint(seq)})
		since = r.Time
	case ms != 0:
		since = time.UnixMilli(ms)
	}
	if err != nil {
		return err
	}

	out := billJSON{Sessions: len(chosen)}
	var meter insight.Meter
	out.Missing = Read(&meter, list, chosen, projects)
	out.Bill = meter.Bill(q.By, chosen, since, prices)
	err = query.Records(ctx, e, api.EventsRequest{Types: []string{events.TypeContextInjected}}, func(r events.Record) {
		event, ok := r.Event.(*events.ContextInjected)
		if ok && chosen[r.Session] && !r.Time.Before(since) {
			out.Injected += int64(event.Tokens)
		}
	})
	if err != nil {
		return err
	}
	byID := map[string]session.State{}
	for _, s := range list {
		byID[s.ID] = s
	}
	for i := range out.Rows {
		r := &out.Rows[i]
		switch out.By {
		case "session":
			r.Label = byID[r.Name].Title
		case "project":
			r.Label = query.ProjectName(projects, r.Name)
		case "agent":
			r.Label = show.Join(" ", byID[r.Session].Agents[r.Label].Kind, cmp.Or(r.Label, "main"))
		}
	}
	if e.JSON {
		return e.PrintJSON(out)
	}
	printBill(e, out)
	return nil
}

// chosen are the sessions that the flags mean: of this project where they name none.
func chosen(ctx context.Context, e *env.Env, q verb, list []session.State, projects []project.State, here string) (map[string]bool, error) {
	want := map[string]bool{}
	if q.Session != "" {
		s, err := query.Session(ctx, e, q.Session)
		want[s.ID] = true
		return want, err
	}
	if q.Project != "" {
		p, err := query.Project(projects, q.Project)
		if err != nil {
			return nil, err
		}
		here = query.CountsFor(projects, p.ID)
	}
	for _, s := range list {
		if s.Status == session.Deleted {
			continue
		}
		if q.All && q.Project == "" || query.CountsFor(projects, s.Project) == here {
			want[s.ID] = true
		}
	}
	return want, nil
}

// Read takes the transcripts of the chosen sessions and of those whose transcripts lie in the same folders, the oldest
// session first: it owns what others copied. It gives the transcripts of the chosen ones that could not be read.
func Read(m *insight.Meter, list []session.State, chosen map[string]bool, projects []project.State) (missing []string) {
	folders := map[string]bool{}
	for _, s := range list {
		if chosen[s.ID] {
			folders[filepath.Dir(s.Transcript)] = true
		}
	}

	list = slices.Clone(list)
	slices.SortFunc(list, func(x, y session.State) int {
		return cmp.Or(x.Started.Compare(y.Started), cmp.Compare(x.ID, y.ID))
	})
	for _, s := range list {
		if s.Transcript == "" || !folders[filepath.Dir(s.Transcript)] {
			continue
		}
		for _, file := range transcript.OfSession(s.Transcript) {
			err := transcript.Read(file, func(text []byte) error {
				m.Take(s.ID, query.CountsFor(projects, s.Project), text)
				return nil
			})
			never := errors.Is(err, fs.ErrNotExist) && s.Prompts == 0 // the client writes it with the first prompt
			if err != nil && chosen[s.ID] && !never {
				missing = append(missing, file)
			}
		}
	}
	return missing
}

func printBill(e *env.Env, out billJSON) {
	switch {
	case out.Sessions == 0:
		e.Printf("no session in this project; --all counts those of others\n")
	case len(out.Rows) == 0:
		e.Printf("no answer of the API in the transcripts of these sessions\n")
	default:
		t := e.Table(strings.ToUpper(out.By), "WHAT", "ANSWERS", "INPUT", "OUTPUT", "CACHE WRITE", "CACHE READ", "DOLLARS")
		t.Drop = []string{"CACHE READ", "CACHE WRITE", "ANSWERS", "INPUT"}
		if out.By == "model" || out.By == "tool" { // their names say it
			t.Head[1] = ""
		}
		for _, r := range append(slices.Clone(out.Rows), out.Total) {
			name := r.Name
			switch {
			case name == "":
				name = "total"
			case out.By == "prompt" || out.By == "agent" || out.By == "session":
				name = show.Alias(cmp.Or(r.Session, r.Name))
			}
			dollars := fmt.Sprintf("%.2f", r.USD)
			if r.Unpriced > 0 && r.PicoUSD == 0 {
				dollars = "–"
			} else if r.Unpriced > 0 {
				dollars += "+"
			}
			t.Row(name, cmdline.Fit(cmdline.OneLine(r.Label), 60), strconv.Itoa(r.Answers), cmdline.Count(r.Tokens.Input), cmdline.Count(r.Tokens.Output),
				cmdline.Count(r.Tokens.CacheWrite+r.Tokens.CacheWrite1h), cmdline.Count(r.Tokens.CacheRead), dollars)
		}
		t.Print()
	}

	if out.Injected > 0 {
		e.Printf("\nof the input, told by hookline: %s tokens (estimate)\n", cmdline.Count(out.Injected))
	}
	if len(out.Unpriced) > 0 {
		e.Printf("\nwithout a price: %s; `prices` in the configuration takes lines of MODEL INPUT OUTPUT, dollars a million tokens\n", cmdline.OneLine(strings.Join(out.Unpriced, ", ")))
	}
	if len(out.Missing) > 0 {
		e.Say("warning: not counted, " + cmdline.Plural(len(out.Missing), "transcript") + " that cannot be read, as " + out.Missing[0])
	}
}

// Package codes has the verbs of `hookctl codes`: what was worked on in a project, as short codes, and how they end.
package codes

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/projector/codes"
)

// shownJSON is what `codes show --json` prints.
type shownJSON struct {
	Project string        `json:"project" jsonschema_description:"its id"`
	Name    string        `json:"name" jsonschema_description:"of the project"`
	Codes   []string      `json:"codes" jsonschema_description:"as they are shown; none when they have expired"`
	Expires *time.Time    `json:"expires_at" jsonschema_description:"null without codes"`
	Context codes.Context `json:"context" jsonschema_description:"the codes with their events"`
	Ended   []codes.Ended `json:"ended" jsonschema_description:"earlier ones, the newest last, at most 5"`
	Bad     []codes.Code  `json:"quarantine" jsonschema_description:"what was added and is no code, at most 20"`
}

// endedJSON is what ending codes prints with --json.
type endedJSON struct {
	Status   string   `json:"status" jsonschema_description:"completed, archived or expired"`
	Projects []string `json:"projects" jsonschema_description:"ids of those whose codes ended"`
}

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	c := cmdline.Noun("codes", "Show what was worked on in a project as short codes, and end them", "  hookctl codes show\n  hookctl codes complete",
		showCommand(e),
		addCommand(e),
		completeCommand(e),

		archiveCommand(e),
		cleanupCommand(e))
	c.Long = "Codes are read off prompts and calls: impl: a file or function that was changed, dec: a decision of the user, block: what\n" +
		"stands in the way, next: and done: things to do, test: the newest result of a program's tests. They expire seven days\n" +
		"after the newest. What ended is kept; nothing is deleted."
	return c
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"codes show":     shownJSON{},
	"codes add":      events.Record{},
	"codes complete": endedJSON{},
	"codes archive":  endedJSON{},
	"codes cleanup":  endedJSON{},
}

// read are the codes of this directory's project.
func read(ctx context.Context, e *env.Env) (out shownJSON, err error) {
	all, here, err := query.Here(ctx, e)
	if err != nil {
		return out, err
	}
	out = shownJSON{Project: here, Name: query.ProjectName(all, here), Codes: []string{}, Ended: []codes.Ended{}, Bad: []codes.Code{}}
	c, err := query.StateOf[codes.State](ctx, e, codes.Name, here)
	if err != nil && !env.IsMissing(err) {
		return out, err
	}
	out.Context = c.At(e.Now())
	out.Ended, out.Bad = append(out.Ended, c.Ended...), append(out.Bad, c.Quarantine...)
	out.Codes = append(out.Codes, out.Context.Lines(out.Name)...)
	if !out.Context.Empty() {
		expires := out.Context.Updated.Add(codes.Lifetime)
		out.Expires = &expires
	}
	return out, nil
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "show",
		Short: "Show the codes of this project",
		Example: "  hookctl codes show\n" +
			"  hookctl codes show --json | jq .codes",
	}, showVerb)
}

func showVerb(ctx context.Context, e *env.Env, _ []string) error {
	out, err := read(ctx, e)
	if err != nil {
		return err
	}
	return e.Verdict(out, true, func() {
		for _, line := range out.Codes {
			e.Printf("%s\n", cmdline.OneLine(line))
		}
		if len(out.Codes) == 0 {
			e.Printf("this project has no codes\n")
		}
	})
}

func addCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Started, command.Text{
		Use:   "add CODE",
		Short: "Add a code",
		Long:  "Add a code: impl:, dec:, block:, next:, done: or test: and what it says. done: also ends a next: or block: that says the same.",
		Example: "  hookctl codes add 'dec:one file per verb'\n" +
			"  hookctl codes add done:ship-it",
	}, addVerb, cmdline.Exactly("a code, as dec:TEXT"))
}

func addVerb(ctx context.Context, e *env.Env, args []string) error {
	kind, what, _ := strings.Cut(args[0], ":")
	if strings.TrimSpace(what) == "" || !strings.Contains(" impl dec block next done test ", " "+kind+" ") {
		return problem.Faultf("%q is no code", args[0]).Advise("impl:, dec:, block:, next:, done: or test: and what it says")
	}
	_, here, err := query.Here(ctx, e)
	if err != nil {
		return err
	}
	r, err := emit.Event(ctx, e, emit.Owner{Project: here}, &events.CodesAdded{Code: args[0]})
	if err != nil {
		return err
	}
	return emit.Say(e, r)
}

func completeCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:     "complete",
		Short:   "End the codes of this project: the work is done",
		Example: "  hookctl codes complete",
	}, &endVerb{codes.Completed})
}

func archiveCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:     "archive",
		Short:   "End the codes of this project, done or not",
		Example: "  hookctl codes archive",
	}, &endVerb{codes.Archived})
}

func cleanupCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:     "cleanup",
		Short:   "End the codes of every project where they have expired",
		Example: "  hookctl codes cleanup",
	}, &endVerb{codes.Expired})
}

// endVerb ends the codes of this project, or of every project where they have expired.
type endVerb struct{ status string }

func (f *endVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	_, here, err := query.Here(ctx, e)
	if err != nil {
		return err
	}
	all, err := query.States[codes.State](ctx, e, api.CellsRequest{Projection: codes.Name})
	if err != nil {
		return err
	}
	out := endedJSON{Status: f.status, Projects: []string{}}
	for _, c := range all {
		gone := c.At(e.Now()).Empty()
		ends := c.Project == here && !gone
		if f.status == codes.Expired {
			ends = !c.Now.Empty() && gone
		}
		if !ends {
			continue
		}
		if _, err := emit.Event(ctx, e, emit.Owner{Project: c.Project}, &events.CodesClosed{Status: f.status}); err != nil {
			return err
		}
		out.Projects = append(out.Projects, c.Project)
	}
	return e.Result(out, "the codes of %s are %s\n", cmdline.Plural(len(out.Projects), "project"), f.status)
}

package verbs

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

// The codes of this directory's project (S4): what was worked on, and how it ends.

// codesJSON is what `codes show --json` prints.
type codesJSON struct {
	Project string        `json:"project" jsonschema_description:"its id"`
	Name    string        `json:"name" jsonschema_description:"of the project"`
	Codes   []string      `json:"codes" jsonschema_description:"as they are shown; none when they have expired"`
	Expires *time.Time    `json:"expires_at" jsonschema_description:"null without codes"`
	Context codes.Context `json:"context" jsonschema_description:"the codes with their events"`
	Ended   []codes.Ended `json:"ended" jsonschema_description:"earlier ones, the newest last, at most 5"`
	Bad     []codes.Code  `json:"quarantine" jsonschema_description:"what was added and is no code, at most 20"`
}

// codesEndedJSON is what ending codes prints with --json.
type codesEndedJSON struct {
	Status   string   `json:"status" jsonschema_description:"completed, archived or expired"`
	Projects []string `json:"projects" jsonschema_description:"ids of those whose codes ended"`
}

func codesCmd(e *env.Env) *cobra.Command {
	c := cmdline.Noun("codes", "Show what was worked on in a project as short codes, and end them", "  hookctl codes show\n  hookctl codes complete",
		command.Plain(e, env.Store, "show", "Show the codes of this project", "",
			"  hookctl codes show\n  hookctl codes show --json | jq .codes",
			codesShowVerb),
		command.Plain(e, env.Started, "add CODE", "Add a code",
			"Add a code: impl:, dec:, block:, next:, done: or test: and what it says. done: also ends a next: or block: that says the same.",
			"  hookctl codes add 'dec:one file per verb'\n  hookctl codes add done:ship-it",
			codesAddVerb, cmdline.Exactly("a code, as dec:TEXT")),
		command.Verb(e, env.Started, "complete", "End the codes of this project: the work is done", "",
			"  hookctl codes complete",
			&codesEndVerb{codes.Completed}),

		command.Verb(e, env.Started, "archive", "End the codes of this project, done or not", "",
			"  hookctl codes archive",
			&codesEndVerb{codes.Archived}),
		command.Verb(e, env.Started, "cleanup", "End the codes of every project where they have expired", "",
			"  hookctl codes cleanup",
			&codesEndVerb{codes.Expired}))
	c.Long = "Codes are read off prompts and calls: impl: a file or function that was changed, dec: a decision of the user, block: what\n" +
		"stands in the way, next: and done: things to do, test: the newest result of a program's tests. They expire seven days\n" +
		"after the newest. What ended is kept; nothing is deleted."
	return c
}

// codesHere are the codes of this directory's project.
func codesHere(ctx context.Context, e *env.Env) (out codesJSON, err error) {
	all, here, err := query.Here(ctx, e)
	if err != nil {
		return out, err
	}
	out = codesJSON{Project: here, Name: query.ProjectName(all, here), Codes: []string{}, Ended: []codes.Ended{}, Bad: []codes.Code{}}
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

func codesShowVerb(ctx context.Context, e *env.Env, _ []string) error {
	out, err := codesHere(ctx, e)
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

func codesAddVerb(ctx context.Context, e *env.Env, args []string) error {
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

// codesEndVerb ends the codes of this project, or of every project where they have expired.
type codesEndVerb struct{ status string }

func (f *codesEndVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	_, here, err := query.Here(ctx, e)
	if err != nil {
		return err
	}
	all, err := query.States[codes.State](ctx, e, api.CellsRequest{Projection: codes.Name})
	if err != nil {
		return err
	}
	out := codesEndedJSON{Status: f.status, Projects: []string{}}
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

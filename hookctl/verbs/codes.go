package verbs

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
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

func (a *app) codesCmd() *cobra.Command {
	c := cmdline.Noun("codes", "Show what was worked on in a project as short codes, and end them", "  hookctl codes show\n  hookctl codes complete",
		a.plain(needStore, "show", "Show the codes of this project", "",
			"  hookctl codes show\n  hookctl codes show --json | jq .codes",
			a.codesShowVerb),
		a.plain(needStarted, "add CODE", "Add a code",
			"Add a code: impl:, dec:, block:, next:, done: or test: and what it says. done: also ends a next: or block: that says the same.",
			"  hookctl codes add 'dec:one file per verb'\n  hookctl codes add done:ship-it",
			a.codesAddVerb, cmdline.Exactly("a code, as dec:TEXT")),
		a.verb(needStarted, "complete", "End the codes of this project: the work is done", "",
			"  hookctl codes complete",
			&codesEndVerb{codes.Completed}),

		a.verb(needStarted, "archive", "End the codes of this project, done or not", "",
			"  hookctl codes archive",
			&codesEndVerb{codes.Archived}),
		a.verb(needStarted, "cleanup", "End the codes of every project where they have expired", "",
			"  hookctl codes cleanup",
			&codesEndVerb{codes.Expired}))
	c.Long = "Codes are read off prompts and calls: impl: a file or function that was changed, dec: a decision of the user, block: what\n" +
		"stands in the way, next: and done: things to do, test: the newest result of a program's tests. They expire seven days\n" +
		"after the newest. What ended is kept; nothing is deleted."
	return c
}

// codesHere are the codes of this directory's project.
func (a *app) codesHere() (out codesJSON, err error) {
	all, here, err := a.projects()
	if err != nil {
		return out, err
	}
	out = codesJSON{Project: here, Name: projectName(all, here), Codes: []string{}, Ended: []codes.Ended{}, Bad: []codes.Code{}}
	c, err := stateOf[codes.State](a, codes.Name, here)
	if err != nil && !isMissing(err) {
		return out, err
	}
	out.Context = c.At(a.Now())
	out.Ended, out.Bad = append(out.Ended, c.Ended...), append(out.Bad, c.Quarantine...)
	out.Codes = append(out.Codes, out.Context.Lines(out.Name)...)
	if !out.Context.Empty() {
		expires := out.Context.Updated.Add(codes.Lifetime)
		out.Expires = &expires
	}
	return out, nil
}

func (a *app) codesShowVerb(_ []string) error {
	out, err := a.codesHere()
	if err != nil {
		return err
	}
	return a.Verdict(out, true, func() {
		for _, line := range out.Codes {
			a.Printf("%s\n", cmdline.OneLine(line))
		}
		if len(out.Codes) == 0 {
			a.Printf("this project has no codes\n")
		}
	})
}

func (a *app) codesAddVerb(args []string) error {
	kind, what, _ := strings.Cut(args[0], ":")
	if strings.TrimSpace(what) == "" || !strings.Contains(" impl dec block next done test ", " "+kind+" ") {
		return problem.Faultf("%q is no code", args[0]).Advise("impl:, dec:, block:, next:, done: or test: and what it says")
	}
	_, here, err := a.projects()
	if err != nil {
		return err
	}
	return a.sayEmitted(a.emit(owner{Project: here}, &events.CodesAdded{Code: args[0]}))
}

// codesEndVerb ends the codes of this project, or of every project where they have expired.
type codesEndVerb struct{ status string }

func (f *codesEndVerb) run(a *app, _ []string) error {
	_, here, err := a.projects()
	if err != nil {
		return err
	}
	all, err := states[codes.State](a, api.CellsRequest{Projection: codes.Name})
	if err != nil {
		return err
	}
	out := codesEndedJSON{Status: f.status, Projects: []string{}}
	for _, c := range all {
		gone := c.At(a.Now()).Empty()
		ends := c.Project == here && !gone
		if f.status == codes.Expired {
			ends = !c.Now.Empty() && gone
		}
		if !ends {
			continue
		}
		if _, err := a.emit(owner{Project: c.Project}, &events.CodesClosed{Status: f.status}); err != nil {
			return err
		}
		out.Projects = append(out.Projects, c.Project)
	}
	return a.Result(out, "the codes of %s are %s\n", cmdline.Plural(len(out.Projects), "project"), f.status)
}

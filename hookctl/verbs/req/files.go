package req

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/gates"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
)

func initCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "init",
		Short: "Write a commented .claude/requirements.yaml",
		Long: "Write a commented .claude/requirements.yaml into this work tree. It asks nothing and overwrites nothing;\n" +
			"one gate is on, the others are there to be switched on.",
		Example: "  hookctl req init",
	}, initVerb)
}

func initVerb(_ context.Context, e *env.Env, _ []string) error {
	place, err := workTree(e)
	if err != nil {
		return err
	}
	file := gates.ProjectFile(place.Worktree)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	err = writeNew(file, []byte(gates.Starter))
	if errors.Is(err, fs.ErrExist) {
		return problem.Faultf("%s is there already", file).Advise("nothing was changed; `hookctl req status --verbose` shows what it says")
	}
	if err != nil {
		return err
	}
	return e.Result(initJSON{file}, "✅ Wrote %s\n   Edit it, then `hookctl req status` shows the gates.\n", file)
}

// initJSON is what `req init --json` prints.
type initJSON struct {
	File string `json:"file" jsonschema_description:"that was written"`
}

// writeNew writes a file that is not there yet; one that is stays, and the error is fs.ErrExist.
func writeNew(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file) // half a file is worse than none
	}
	return err
}

func schemaCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "schema",
		Short:   "Print the JSON Schema of requirements.yaml, for editors",
		Example: "  hookctl req schema > .claude/requirements.schema.json",
	}, schemaVerb)
}

func schemaVerb(_ context.Context, e *env.Env, _ []string) error {
	e.Verbatim(gates.Schema + "\n")
	return nil
}

func validateCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "validate",
		Short: "Check the configuration of the gates: file, line and column of what has no effect",
		Long: "Check the configuration of the gates and say, with file, line and column, what is malformed and left out,\n" +
			"what is unknown, and what is known and not acted on. It needs no daemon and no store.\n" +
			"Exit code 1 when something is left out.",
		Example: "  hookctl req validate\n" +
			"  hookctl req validate --json | jq '.problems[] | select(.warning | not)'",
	}, validateVerb)
}

func validateVerb(ctx context.Context, e *env.Env, _ []string) error {
	place, err := workTree(e)
	if err != nil {
		return err
	}
	r := query.Rules(e, place)
	d := &desk{Env: e, place: place, rules: r}
	v := validation{Configured: r.ProjectFile != "", Valid: len(r.Invalid()) == 0, Enabled: []string{},
		Problems: append([]gates.Problem{}, r.Problems...), Notes: append([]gates.Problem{}, r.Notes...)}
	v.Problems = append(v.Problems, d.unknownBases(ctx)...)
	for _, q := range r.InOrder() {
		v.Enabled = append(v.Enabled, q.Name)
	}
	return e.Verdict(v, v.Valid, func() {
		if !v.Configured {
			e.Printf("%s\n", noRequirements)
		}
		for _, p := range v.Problems {
			sign := "❌"
			if p.Warning {
				sign = "⚠️ "
			}
			e.Printf("%s %s\n", sign, cmdline.OneLine(p.Error()))
			if p.Hint != "" {
				e.Printf("   hint: %s\n", cmdline.OneLine(p.Hint))
			}
		}
		for _, p := range v.Notes {
			e.Printf("ℹ️  %s\n", cmdline.OneLine(p.Error()))
		}
		left := len(r.Invalid())
		switch {
		case left > 0:
			e.Printf("❌ %s left out, %s enabled\n", cmdline.Plural(left, "part"), cmdline.Plural(len(v.Enabled), "requirement"))
		case v.Configured:
			e.Printf("✅ valid, %s enabled\n", cmdline.Plural(len(v.Enabled), "requirement"))
		}
	})
}

// validation is what `req validate --json` prints.
type validation struct {
	Configured bool            `json:"configured" jsonschema_description:"the repository has a file"`
	Valid      bool            `json:"valid" jsonschema_description:"nothing is left out"`
	Enabled    []string        `json:"enabled" jsonschema_description:"names of the requirements that are in force"`
	Problems   []gates.Problem `json:"problems" jsonschema_description:"what is malformed or unknown"`
	Notes      []gates.Problem `json:"notes" jsonschema_description:"known and not acted on"`
}

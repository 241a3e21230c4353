package verbs

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/gates"
)

func (a *app) configCmd() *cobra.Command {
	return cmdline.Noun("config", "Show, set and check the configuration", "  hookctl config show\n  hookctl config set idle_exit 1h",
		a.verb(needStore, &cobra.Command{
			Use:   "show",
			Short: "Show every setting and where its value comes from",
			Long: "Show every setting and where its value comes from: flags over environment over files, the local file over\n" +
				"the project's over the user's. An unknown key is an error here, and a warning in a hook.",
			Example: "  hookctl config show\n  hookctl config show --json | jq .values.fsync",
		}, &configShowVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:   "set KEY VALUE",
			Short: "Set a value in the user's configuration file",
			Long: "Set a value in the user's configuration file, which is made when it is not there; comments and other keys\n" +
				"stay. What is of the daemon counts after `hookctl restart`. Lists are set by `hookctl config edit`.",
			Example: "  hookctl config set idle_exit 1h",
			Args:    cmdline.Exactly("a key: `hookctl config show` lists them", "a value"),
			ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return settable(), cobra.ShellCompDirectiveNoFileComp
			},
		}, &configSetVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:     "edit",
			Short:   "Open the user's configuration file in $VISUAL or $EDITOR, then check it",
			Example: "  hookctl config edit",
		}, &configEditVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:     "validate",
			Short:   "Check the configuration files; exits 1 when something is wrong",
			Example: "  hookctl config validate",
		}, &configValidateVerb{}))
}

type configShowVerb struct{}

func (configShowVerb) run(a *app, _ []string) error {
	if a.JSON {
		out := configJSON{Values: map[string]any{}, Origins: a.conf.Origins, Files: a.conf.Files, Problems: a.conf.Problems}
		for _, k := range config.Keys() {
			if text := a.conf.Values.Text(k.Name); !k.List() {
				out.Values[k.Name] = text[0]
			} else {
				out.Values[k.Name] = text
			}
		}
		if out.Problems == nil {
			out.Problems = []config.Problem{}
		}
		if err := a.PrintJSON(out); err != nil {
			return err
		}
		return a.configProblems()
	}
	t := cmdline.Table{Head: []string{"KEY", "VALUE", "FROM", "MEANING"}, Columns: a.Columns, Prose: true, Drop: []string{"MEANING"}}
	for _, k := range config.Keys() {
		t.Row(k.Name, orDash(cmdline.OneLine(strings.Join(a.conf.Values.Text(k.Name), ", "))), origin(a.conf.Origins[k.Name]), k.Doc)
	}
	t.Print(a.Out, a.Paint)
	a.Printf("\n")
	for _, f := range a.conf.Files {
		state := a.Paint.Faint("not there")
		switch problem, out := leftOut(a.conf, f); {
		case out:
			state = a.Paint.Bad("left out") + ": " + cmdline.OneLine(problem.Message)
		case f.Exists:
			state = a.Paint.Good("read")
		}
		a.Printf("  %s  %s  %s\n", cmdline.Pad(f.Scope, 7), cmdline.OneLine(f.Path), state)
	}
	var names []string
	for _, k := range config.Keys() {
		if from := a.conf.Origins[k.Name].From; k.Daemon && (from == "project" || from == "local") {
			names = append(names, k.Name)
		}
	}
	if len(names) > 0 {
		a.Say("warning: the daemon does not see " + strings.Join(names, ", ") + " of a project's file: it serves all projects")
		a.Say("hint: " + config.UserFile(a.Getenv) + " is the place for it, `hookctl restart` applies it")
	}
	return a.configProblems()
}

// configJSON is what `config show --json` prints.
type configJSON struct {
	Values   map[string]any           `json:"values" jsonschema_description:"by key, as text; redact_extra is an array of strings"`
	Origins  map[string]config.Origin `json:"origins" jsonschema_description:"by key, where the value comes from"`
	Files    []config.File            `json:"files" jsonschema_description:"in the order they were read"`
	Problems []config.Problem         `json:"problems" jsonschema_description:"what does not count"`
}

func origin(o config.Origin) string {
	switch {
	case o.File != "":
		return fmt.Sprintf("%s:%d", o.From, o.Line)
	case o.From == "flag":
		return "flag --" + strings.ReplaceAll(o.Name, "_", "-")
	case o.Name != "":
		return o.Name
	}
	return o.From
}

// leftOut tells whether nothing of a file is in force: it cannot be read or is no YAML. A wrong key or
// value is named by its key; the rest of such a file counts.
func leftOut(c config.Config, f config.File) (config.Problem, bool) {
	for _, p := range c.Problems {
		if p.File == f.Path && p.Key == "" {
			return p, true
		}
	}
	return config.Problem{}, false
}

// configProblems prints what is wrong, each with its hint, and ends with exit code 1 then.
func (a *app) configProblems() error {
	for _, p := range a.conf.Problems {
		a.Fail(p.Error(), p.Hint)
	}
	if len(a.conf.Problems) > 0 {
		return cmdline.Silent(1)
	}
	return nil
}

func existing(c config.Config) int {
	n := 0
	for _, f := range c.Files {
		if _, out := leftOut(c, f); f.Exists && !out {
			n++
		}
	}
	return n
}

// configValidJSON is what `config validate --json` prints.
type configValidJSON struct {
	OK           bool             `json:"ok" jsonschema_description:"nothing is wrong"`
	Problems     []config.Problem `json:"problems" jsonschema_description:"of the configuration files"`
	Requirements []gates.Problem  `json:"requirements,omitempty" jsonschema_description:"parts of this repository's gates that are left out"`
}

type configValidateVerb struct{}

func (configValidateVerb) run(a *app, _ []string) error {
	if a.JSON {
		problems, faults := append([]config.Problem{}, a.conf.Problems...), a.ruleFaults()
		out := configValidJSON{OK: len(problems)+len(faults) == 0, Problems: problems, Requirements: faults}
		return a.Verdict(out, out.OK, nil)
	}
	err := a.configProblems()
	for _, p := range a.ruleFaults() {
		a.Fail(p.Error(), p.Hint)
		err = cmdline.Silent(1)
	}
	if err != nil {
		return err
	}
	a.Printf("%s read, nothing wrong\n", cmdline.Plural(existing(a.conf), "file"))
	return nil
}

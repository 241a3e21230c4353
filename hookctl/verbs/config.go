package verbs

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/config"
)

func (a *app) configCmd() *cobra.Command {
	return noun("config", "Show and check the configuration", "  hookctl config show\n  hookctl config validate", a.configShowCmd(), a.configValidateCmd())
}

func (a *app) configShowCmd() *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show every setting and where its value comes from",
		Long: "Show every setting and where its value comes from: flags over environment over files, the local file over\n" +
			"the project's over the user's. An unknown key is an error here, and a warning in a hook.",
		Example: "  hookctl config show\n  hookctl config show --json | jq .values.fsync",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.showConfig() },
	}
}

// configJSON is what `config show --json` prints.
type configJSON struct {
	Values   map[string]any           `json:"values"`
	Origins  map[string]config.Origin `json:"origins"`
	Files    []config.File            `json:"files"`
	Problems []config.Problem         `json:"problems"`
}

func (a *app) showConfig() error {
	if a.json {
		out := configJSON{Values: map[string]any{}, Origins: a.conf.Origins, Files: a.conf.Files, Problems: a.conf.Problems}
		for _, k := range config.Keys() {
			if text := a.conf.Values.Text(k.Name); k.Env != "" {
				out.Values[k.Name] = text[0]
			} else {
				out.Values[k.Name] = text
			}
		}
		if out.Problems == nil {
			out.Problems = []config.Problem{}
		}
		if err := a.printJSON(out); err != nil {
			return err
		}
		return a.configProblems()
	}
	t := table{head: []string{"KEY", "VALUE", "FROM", "MEANING"}}
	for _, k := range config.Keys() {
		t.row(k.Name, orDash(oneLine(strings.Join(a.conf.Values.Text(k.Name), ", "))), origin(a.conf.Origins[k.Name]), k.Doc)
	}
	t.print(a.out, a.paint)
	a.printf("\n")
	for _, f := range a.conf.Files {
		state := a.paint.faint("not there")
		if f.Exists {
			state = a.paint.good("read")
		}
		a.printf("  %s  %s  %s\n", pad(f.Scope, 7), f.Path, state)
	}
	return a.configProblems()
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

// configProblems prints what is wrong, each with its hint, and ends with exit code 1 then.
func (a *app) configProblems() error {
	for _, p := range a.conf.Problems {
		a.sayError(p.Error(), p.Hint)
	}
	if len(a.conf.Problems) > 0 {
		return silent(1)
	}
	return nil
}

func existing(c config.Config) int {
	n := 0
	for _, f := range c.Files {
		if f.Exists {
			n++
		}
	}
	return n
}

func (a *app) configValidateCmd() *cobra.Command {
	return &cobra.Command{
		Use: "validate", Short: "Check the configuration files; exits 1 when something is wrong",
		Example: "  hookctl config validate",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				problems := append([]config.Problem{}, a.conf.Problems...)
				if err := a.printJSON(map[string]any{"ok": len(problems) == 0, "problems": problems}); err != nil {
					return err
				}
				if len(problems) > 0 {
					return silent(1)
				}
				return nil
			}
			if err := a.configProblems(); err != nil {
				return err
			}
			a.printf("%s read, nothing wrong\n", plural(existing(a.conf), "file"))
			return nil
		},
	}
}

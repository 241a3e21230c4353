// Package config has the verbs of `hookctl config`: the settings, where each comes from, and what is wrong with them.
package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/gates"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	return cmdline.Noun("config", "Show, set and check the configuration", "  hookctl config show\n  hookctl config set idle_exit 1h",
		showCommand(e),
		setCommand(e),
		editCommand(e),
		validateCommand(e))
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"config set":      setJSON{},
	"config show":     shownJSON{},
	"config validate": validJSON{},
}

func showCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "show",
		Short: "Show every setting and where its value comes from",
		Long: "Show every setting and where its value comes from: flags over environment over files, the local file over\n" +
			"the project's over the user's. An unknown key is an error here, and a warning in a hook.",
		Example: "  hookctl config show\n" +
			"  hookctl config show --json | jq .values.fsync",
	}, showVerb)
}

func showVerb(_ context.Context, e *env.Env, _ []string) error {
	if e.JSON {
		out := shownJSON{Values: map[string]any{}, Origins: e.Conf.Origins, Files: e.Conf.Files, Problems: append([]config.Problem{}, e.Conf.Problems...)}
		for _, k := range config.Keys() {
			if text := e.Conf.Values.Text(k.Name); !k.List() {
				out.Values[k.Name] = text[0]
			} else {
				out.Values[k.Name] = text
			}
		}

		if err := e.PrintJSON(out); err != nil {
			return err
		}
		return tellProblems(e)
	}
	t := e.Table("KEY", "VALUE", "FROM", "MEANING")
	t.Drop = []string{"MEANING"}
	t.Prose = true
	for _, k := range config.Keys() {
		t.Row(k.Name, show.OrDash(strings.Join(e.Conf.Values.Text(k.Name), ", ")), origin(e.Conf.Origins[k.Name]), k.Doc)
	}
	t.Print()
	e.Printf("\n")
	for _, f := range e.Conf.Files {
		state := e.Paint.Faint("not there")
		if f.Exists {
			state = e.Paint.Good("read")
		}
		e.Printf("  %s  %s  %s\n", cmdline.Pad(f.Scope, 7), cmdline.OneLine(f.Path), state)
	}
	return tellProblems(e)
}

// shownJSON is what `config show --json` prints.
type shownJSON struct {
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

// tellProblems prints what is wrong, each with its hint, and ends with exit code 1 then.
func tellProblems(e *env.Env) error {
	for _, p := range e.Conf.Problems {
		e.Fail(p.Error(), p.Hint)
	}
	if len(e.Conf.Problems) > 0 {
		return cmdline.Silent(1)
	}
	return nil
}

// validJSON is what `config validate --json` prints.
type validJSON struct {
	OK           bool             `json:"ok" jsonschema_description:"nothing is wrong"`
	Problems     []config.Problem `json:"problems" jsonschema_description:"of the configuration files"`
	Requirements []gates.Problem  `json:"requirements,omitempty" jsonschema_description:"parts of this repository's gates that are left out"`
}

func validateCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "validate",
		Short:   "Check the configuration files; exits 1 when something is wrong",
		Example: "  hookctl config validate",
	}, validateVerb)
}

func validateVerb(_ context.Context, e *env.Env, _ []string) error {
	faults := query.RuleFaults(e)
	out := validJSON{OK: len(e.Conf.Problems)+len(faults) == 0, Problems: append([]config.Problem{}, e.Conf.Problems...), Requirements: faults}
	return e.Verdict(out, out.OK, func() {
		_ = tellProblems(e) // out says that there are some
		for _, p := range faults {
			e.Fail(p.Error(), p.Hint)
		}
		if out.OK {
			e.Printf("%s read, nothing wrong\n", cmdline.Plural(e.Conf.FilesRead(), "file"))
		}
	})
}

func setCommand(e *env.Env) *cobra.Command {
	return command.Offering(completeKeys, command.Plain(e, env.Store, command.Text{
		Use:   "set KEY VALUE",
		Short: "Set a value in the user's configuration file",
		Long: "Set a value in the user's configuration file, which is made when it is not there; comments and other keys\n" +
			"stay. What is of the daemon counts after `hookctl restart`. Lists are set by `hookctl config edit`.",
		Example: "  hookctl config set idle_exit 1h",
	}, setVerb, cmdline.Exactly("a key: `hookctl config show` lists them", "a value")))
}

func setVerb(_ context.Context, e *env.Env, args []string) error {
	key := args[0]
	value := args[1]

	if !slices.Contains(settable(), key) {
		return problem.Faultf("there is no key %q with one value", key).
			Advise("one of "+strings.Join(settable(), ", ")+"; `hookctl config edit` is for the lists").Meant(key, settable(), "%s")
	}
	path, err := userFile(e)
	if err != nil {
		return err
	}
	judged := config.Load(config.Options{Getenv: func(string) string { return "" }, Flags: map[string]string{key: value}})
	if len(judged.Problems) > 0 {
		return problem.Faultf("%s", strings.TrimPrefix(judged.Problems[0].Error(), "--")).Advise(judged.Problems[0].Hint)
	}

	text, err := safeopen.ReadFile(safeopen.User, path, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	wasWhole := len(e.Conf.Problems) == 0
	if err := safeopen.Replace(config.Resolved(path), []byte(withKey(string(text), key, value))); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	readConfiguration(e)
	if wasWhole && len(e.Conf.Problems) > 0 { // a line at the end of a file in flow style breaks it
		return takeBack(e, path, text)
	}
	if err := tellProblems(e); err != nil {
		return err
	}
	set := setJSON{path, key, judged.Values.Text(key)[0]}
	return e.Result(set, "%s: %s in %s\n", key, set.Value, path)
}

// takeBack writes the text back that a file had before a value broke it.
func takeBack(e *env.Env, path string, text []byte) error {
	if err := safeopen.Replace(config.Resolved(path), text); err != nil {
		return fmt.Errorf("write the configuration as it was: %w", err)
	}
	return problem.Faultf("%s cannot take a line for one key; it was left as it was", path).
		Advise("`hookctl config edit` opens it")
}

// userFile is the path of the user's configuration, which may be written.
func userFile(e *env.Env) (string, error) {
	path := config.UserFile(e.Getenv)
	if path == "" {
		return "", problem.Faultf("there is no home folder for the user's configuration").Advise("set HOME or XDG_CONFIG_HOME")
	}
	return path, home.MayMake(path)
}

// setJSON is what `config set --json` prints.
type setJSON struct {
	File  string `json:"file" jsonschema_description:"that was written"`
	Key   string `json:"key" jsonschema_description:"that was set"`
	Value string `json:"value" jsonschema_description:"in force from that file"`
}

// settable are the keys with one value.
func settable() []string {
	var names []string
	for _, k := range config.Keys() {
		if !k.List() {
			names = append(names, k.Name)
		}
	}
	return names
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return settable(), cobra.ShellCompDirectiveNoFileComp
}

// withKey gives a file's text with a line for the key: in the place of the one it has, else at its end.
func withKey(text, key, value string) string {
	line := key + ": " + value
	have := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(key) + `[ \t]*:[^#\n]*?([ \t]+#[^\n]*)?$`)
	if have.MatchString(text) {
		return have.ReplaceAllString(text, line+"$1")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line + "\n"
}

func editCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "edit",
		Short:   "Open the user's configuration file in $VISUAL or $EDITOR, then check it",
		Example: "  hookctl config edit",
	}, editVerb)
}

func editVerb(ctx context.Context, e *env.Env, _ []string) error {
	path, err := userFile(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}

	editor := cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR"))
	if editor == "" && !e.Asks {
		return problem.Faultf("vi needs a terminal").Advise("EDITOR names another editor; the file is " + path)
	}
	editor = cmp.Or(editor, "vi")
	words := append(strings.Fields(editor), path)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return problem.Faultf("%s: %w", editor, err).Advise("EDITOR names another editor; the file is " + path)
	}

	return judgeAnew(e)
}

// judgeAnew reads the configuration again and prints what is wrong with it.
func judgeAnew(e *env.Env) error {
	readConfiguration(e)
	return tellProblems(e)
}

func readConfiguration(e *env.Env) {
	e.Conf = config.Load(config.Options{Getenv: e.Getenv, Dir: e.ProjectDir()})
}

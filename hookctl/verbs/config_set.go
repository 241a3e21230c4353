package verbs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hookline/hookctl/config"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

type configSetVerb struct{}

func (configSetVerb) run(a *app, args []string) error {
	key := args[0]
	value := args[1]

	if !slices.Contains(settable(), key) {
		f := problem.Faultf("there is no key %q with one value", key).Advise("one of " + strings.Join(settable(), ", ") + "; `hookctl config edit` is for the lists")
		if near := problem.Nearest(key, settable()); near != "" {
			f.Hint = "did you mean " + near + "?"
		}
		return f
	}
	path, err := a.userFile()
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
	if err := replaceFile(path, withKey(string(text), key, value)); err != nil {
		return err
	}
	now := config.Load(config.Options{Getenv: func(name string) string {
		if strings.HasPrefix(name, "HOOKLINE_") {
			return ""
		}
		return a.Getenv(name)
	}})
	if now.Values.Text(key)[0] != judged.Values.Text(key)[0] {
		return errors.Join(replaceFile(path, string(text)),
			problem.Faultf("%s could not be set in %s; it is as it was", key, path).Advise("`hookctl config edit` opens it"))
	}
	return a.Result(configSetJSON{path, key, now.Values.Text(key)[0]}, "%s: %s in %s\n", key, now.Values.Text(key)[0], path)
}

// userFile is the path of the user's configuration, which may be written.
func (a *app) userFile() (string, error) {
	path := config.UserFile(a.Getenv)
	if path == "" {
		return "", problem.Faultf("there is no home folder for the user's configuration").Advise("set HOME or XDG_CONFIG_HOME")
	}
	return path, a.mayMake(path)
}

// configSetJSON is what `config set --json` prints.
type configSetJSON struct {
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

// replaceFile writes a file whole or not at all; of a link it writes the file that it leads to.
func replaceFile(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}

	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	temp, err := safeopen.Beside(path, []byte(text), info, 0o600)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

type configEditVerb struct{}

func (configEditVerb) run(a *app, _ []string) error {
	path, err := a.userFile()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := replaceFile(path, commentedDefaults()); err != nil {
			return err
		}
	}

	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if v := a.Getenv(name); v != "" {
			editor = v
		}
	}
	words := append(strings.Fields(editor), path)
	cmd := exec.CommandContext(a.ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return problem.Faultf("%s: %w", editor, err).Advise("EDITOR names another editor; the file is " + path)
	}

	a.conf = config.Load(config.Options{Getenv: a.Getenv, Dir: a.ProjectDir()})
	return a.configProblems()
}

// commentedDefaults is a configuration file that changes nothing.
func commentedDefaults() string {
	var b strings.Builder
	for _, k := range config.Keys() {
		fmt.Fprintf(&b, "# %s: %s  # %s\n", k.Name, k.Default, k.Doc)
	}
	return b.String()
}

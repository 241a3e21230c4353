package conversations

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hookline/expect"
)

// telling are the packages whose messages name commands about damage and about what is not there.
var telling = []string{
	"embedded", "hookctl/client", "hookctl/daemon", "hookctl/deliver", "hookctl/home", "hookctl/verbs/doctor",
	"replay/carry", "replay/check", "replay/cli", "replay/mend", "replay/past",
}

// remedy is a command as messages name it: the program, the words of the verb, and flags.
var remedy = regexp.MustCompile("`((?:hookctl|replay)(?: [a-z][a-z-]*)+(?: --[a-z-]+)*)")

// elsewhere are the commands that a script cannot run, each with the reason.
var elsewhere = map[string]string{
	"hookctl install --plugin": "asks the client's own program, which package e2e has",
}

// Every command that a message of these packages names is run by a script, so that none of them names one that is not there.
func TestNamedCommandsAreRun(t *testing.T) {
	var run strings.Builder
	for _, script := range expect.Value(filepath.Glob("testdata/scripts/*.txt"))(t) {
		run.Write(expect.Value(os.ReadFile(script))(t))
	}

	named := map[string]string{} // the file of each command
	for _, dir := range telling {
		for _, file := range expect.Value(filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go")))(t) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for line := range strings.Lines(string(expect.Value(os.ReadFile(file))(t))) {
				if strings.HasPrefix(strings.TrimSpace(line), "//") {
					continue
				}
				for _, m := range remedy.FindAllStringSubmatch(line, -1) {
					named[m[1]] = file
				}
			}
		}
	}
	if len(named) < 20 {
		t.Fatalf("%d commands are named, want many: %v", len(named), named)
	}

	for command, file := range named {
		if elsewhere[command] != "" {
			continue
		}
		verb, flag, flagged := strings.Cut(command, " --")
		line := `(?m)^.*exec ` + regexp.QuoteMeta(verb) + `\b`
		if flagged {
			line += `.*--` + regexp.QuoteMeta(strings.Fields(flag)[0]) + `\b`
		}
		if !regexp.MustCompile(line).MatchString(run.String()) {
			t.Errorf("%s names `%s`, and no script runs it", file, command)
		}
	}
}

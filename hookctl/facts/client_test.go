package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

func TestLooksLikeClient(t *testing.T) {
	const npm = "/usr/lib/node_modules/@anthropic-ai/"
	for _, c := range []struct {
		exe, args string
		want      bool
	}{
		{"/home/u/.local/bin/claude", "claude", true},
		{"/home/u/.local/share/claude/versions/2.1.329", "claude --resume", true},
		{`C:\Users\u\.local\bin\claude.exe`, "", true},
		{"/usr/bin/node", "node " + npm + "claude-code/cli.js -p hi", true},
		{"/usr/bin/node", "node --max-old-space-size=4096 " + npm + "claude-code/cli.js", true},
		{"/usr/bin/node", "claude", true}, // it set process.title
		{"", "claude -p", true},
		{"", "", false},
		{"/usr/bin/node", "node server.js claude", false},
		{"/bin/sh", "sh -c claude", false},
		{"/usr/bin/vim", "vim " + npm + "claude-code/cli.js", false},
		{"/home/u/claude-code/bin/hookd", "hookd serve", false},
		{"/opt/claude/versions/next", "", false},
	} {
		expect.Equal(t, looksLikeClient(running{exe: c.exe, args: strings.Fields(c.args)}), c.want, c.exe, c.args)
	}
}

func TestVersionOf(t *testing.T) {
	dir := realDir(t)
	packages := filepath.Join(dir, "node_modules", "@anthropic-ai")
	write(t, filepath.Join(packages, "claude-code", "package.json"), `{"name":"@anthropic-ai/claude-code","version":"2.1.329","bin":{}}`)
	write(t, filepath.Join(packages, "claude-code", "cli.js"), "")
	write(t, filepath.Join(packages, "claude-code-darwin-arm64", "package.json"), `{"name":"@anthropic-ai/claude-code-darwin-arm64","version":"2.1.301-beta.1"}`)
	write(t, filepath.Join(dir, "own", "package.json"), `{"name":"my-app","version":"1.0.0"}`)
	link := filepath.Join(dir, "claude")
	if err := os.Symlink(filepath.Join(packages, "claude-code", "cli.js"), link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for file, want := range map[string]string{
		packages + "/claude-code/bin/claude.exe":      "2.1.329",
		packages + "/claude-code-darwin-arm64/claude": "2.1.301-beta.1",
		link: "2.1.329",
		"/home/u/.local/share/claude/versions/2.1.330":               "2.1.330",
		`C:\Users\u\.local\share\claude\versions\2.1.331\claude.exe`: "2.1.331",
		dir + "/own/claude": "",
		"cli.js":            "",
		"":                  "",
	} {
		expect.Equal(t, versionOf(file), want, file)
	}
}

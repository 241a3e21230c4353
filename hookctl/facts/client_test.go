package facts

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

func TestLooksLikeClient(t *testing.T) {
	const npm = "/usr/lib/node_modules/@anthropic-ai/"
	for _, c := range []struct {
		exe, args string
		want      bool
	}{
		{"/home/u/.local/bin/claude", "claude", true},
		{"/home/u/.local/share/claude/versions/2.1.329", "claude --resume", true},
		{npm + "claude-code-linux-x64/claude", "", true},
		{npm + "claude-code/bin/claude.exe", "", true},
		{`C:\Users\u\.local\bin\claude.exe`, "", true},
		{"/usr/bin/node", "node " + npm + "claude-code/cli.js -p hi", true},
		{"/usr/bin/node", "node --max-old-space-size=4096 " + npm + "claude-code/cli.js", true},
		{"/usr/bin/node", "/usr/bin/node /usr/local/bin/claude", true},
		{"/usr/bin/node", "claude", true}, // it set process.title
		{"/usr/local/bin/bun", "bun /opt/claude-code/cli.js", true},
		{"", "claude -p", true},
		{"", "", false},
		{"/usr/bin/node", "node server.js claude", false},
		{"/usr/bin/node", "node /home/u/claude-code/test.js", false},
		{"/usr/bin/node", "node", false},
		{"/bin/sh", "sh -c claude", false},
		{"/usr/bin/vim", "vim " + npm + "claude-code/cli.js", false},
		{"/home/u/claude-code/bin/hookd", "hookd serve", false},
		{"/home/u/.claude/hooks/run", "run", false},
		{"/opt/claude/versions/next", "", false},
	} {
		expect.Equal(t, looksLikeClient(running{exe: c.exe, args: strings.Fields(c.args)}), c.want, c.exe, c.args)
	}
}

func TestVersionOf(t *testing.T) {
	dir := realDir(t)
	packages := filepath.Join(dir, "node_modules", "@anthropic-ai")
	manifest := func(folder, name, version string) {
		write(t, filepath.Join(packages, folder, "package.json"), `{"name":"`+name+`","version":"`+version+`","bin":{}}`)
	}
	manifest("claude-code", "@anthropic-ai/claude-code", "2.1.329")
	manifest("claude-code-linux-x64", "@anthropic-ai/claude-code-linux-x64", "2.1.300")
	manifest("sdk", "@anthropic-ai/sdk", "9.9.9")
	write(t, filepath.Join(packages, "claude-code", "cli.js"), "")
	alone := filepath.Join(dir, "alone", "claude-code-darwin-arm64")
	write(t, filepath.Join(alone, "package.json"), `{"name":"@anthropic-ai/claude-code-darwin-arm64","version":"2.1.301-beta.1"}`)
	write(t, filepath.Join(dir, "own", "package.json"), `{"name":"my-app","version":"1.0.0"}`)
	link := filepath.Join(dir, "claude")
	if err := os.Symlink(filepath.Join(packages, "claude-code", "cli.js"), link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, c := range []struct {
		exe, args, want string
	}{
		{packages + "/claude-code-linux-x64/claude", "", "2.1.329"},
		{packages + "/claude-code/bin/claude.exe", "", "2.1.329"},
		{alone + "/claude", "", "2.1.301-beta.1"},
		{"/usr/bin/node", "node " + packages + "/claude-code/cli.js", "2.1.329"},
		{"/usr/bin/node", "node " + link + " -p", "2.1.329"},
		{"/home/u/.local/share/claude/versions/2.1.330", "claude", "2.1.330"},
		{`C:\Users\u\.local\share\claude\versions\2.1.331\claude.exe`, "", "2.1.331"},
		{dir + "/own/claude", "", ""},
		{packages + "/sdk/bin/claude", "", ""},
		{"/usr/bin/node", "node cli.js", ""},
		{"", "", ""},
	} {
		expect.Equal(t, versionOf(running{exe: c.exe, args: strings.Fields(c.args)}), c.want, c.exe, c.args)
	}
}

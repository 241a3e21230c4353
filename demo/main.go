// Demo plays a recorded session through the real binaries in a throw-away home, one process a hook
// as Claude Code does it, and then shows what hookline made of it. It touches nothing else.
//
//	go run ./demo            after `make build`
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "demo: error:", err)
		os.Exit(1)
	}
}

// stage is the throw-away world of one demo.
type stage struct {
	bin, root string
	env       []string
	colour    bool
}

// scenes are the commands that are shown after the session was played.
var scenes = []string{
	"hookctl tail --session 5b0f6c2e --type session.*,tool.failed,subagent.*,compaction.*,identity.* -n 16",
	"hookctl tail -n 8",
	"hookctl session list --all",
	"hookctl identity show --session 5b0f6c2e",
	"replay verify",
}

func run() (err error) {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "hookline-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	s := &stage{bin: bin, root: root, colour: term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == ""}
	s.env = environment(bin, root)
	defer func() { err = errors.Join(err, s.command("hookctl", "stop").Run()) }()
	if err := s.play(); err != nil {
		return err
	}
	for _, line := range scenes {
		if err := s.show(line); err != nil {
			return err
		}
	}
	return nil
}

// paint returns a text in a colour of the terminal, or as it is where colour has no place.
func (s *stage) paint(colour, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// environment is a fresh home; nothing of the user's own is read or written.
func environment(bin, root string) []string {
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + root, "HOOKLINE_HOME=" + filepath.Join(root, "state"),
		"HOOKLINE_SOCKET=" + filepath.Join(root, "state", "hookd.sock"), "TZ=UTC", "TERM=xterm-256color", "COLUMNS=110"}
	for _, name := range []string{"SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG", "NO_COLOR", "CI"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// play sends every recorded hook by a process of its own and prints what the agent would be told.
func (s *stage) play() error {
	recording, err := os.ReadFile(filepath.Join("demo", "session.ndjson"))
	if err != nil {
		return err
	}
	fmt.Println(s.paint("2", "# a recorded session, one hookctl process a hook; what the agent is told is shown"))
	begin, hooks := time.Now(), 0
	for line := range bytes.Lines(recording) {
		name, body, err := payload(line)
		if err != nil {
			return err
		}
		told, err := s.hook(name, body)
		if err != nil {
			return err
		}
		hooks++
		if name == "SessionStart" || name == "UserPromptSubmit" && hooks < 8 {
			for l := range strings.SplitSeq(told, "\n") {
				fmt.Println(s.paint("36", fmt.Sprintf("%-17s", name)), l)
				name = ""
			}
		}
	}
	took := float64(time.Since(begin).Microseconds()) / 1000
	fmt.Println(s.paint("2", fmt.Sprintf("# %d hooks in %.0f ms, %.1f ms each, durable", hooks, took, took/float64(hooks))))
	return nil
}

// payload drops the recording's own member and puts a made-up token where the recording has a hole,
// so that no token stands in the repository and the redaction has something to do.
func payload(line []byte) (name string, body []byte, err error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil {
		return "", nil, err
	}
	delete(m, "_at")
	if err := json.Unmarshal(m["hook_event_name"], &name); err != nil {
		return "", nil, err
	}
	body, err = json.Marshal(m)
	return name, bytes.ReplaceAll(body, []byte("@@SECRET@@"), []byte("ghp_"+strings.Repeat("k3Yx", 9))), err
}

// command is one of the programs in this world.
func (s *stage) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Env, cmd.Dir = s.env, s.root
	return cmd
}

// hook sends one hook and returns what the agent would be told.
func (s *stage) hook(name string, body []byte) (string, error) {
	cmd := s.command("hookctl", "hook", name)
	cmd.Stdin = bytes.NewReader(body)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("hook %s: %w", name, err)
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			return "", fmt.Errorf("hook %s answered %q: %w", name, out, err)
		}
	}
	return answer.HookSpecificOutput.AdditionalContext, nil
}

// show runs one command as a person would and prints it with its output.
func (s *stage) show(line string) error {
	fmt.Printf("\n%s %s\n", s.paint("1;32", "$"), s.paint("1", line))
	words := strings.Fields(line)
	cmd := s.command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

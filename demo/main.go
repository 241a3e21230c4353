// Demo plays a recorded session through the real binaries in a throw-away home, one process a hook
// as Claude Code does it, and then shows what hookline made of it. It touches nothing else.
//
//	go run ./demo -bin bin            what `make demo` runs
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/term"
)

func main() {
	bin := flag.String("bin", "bin", "folder of hookctl, hookd and replay")
	session := flag.String("session", filepath.Join("demo", "session.ndjson"), "recorded hooks, one JSON object a line")
	flag.Parse()
	if err := run(*bin, *session); err != nil {
		fmt.Fprintln(os.Stderr, "demo: error:", err)
		os.Exit(1)
	}
}

// stage is the throw-away world of one demo.
type stage struct {
	bin, root string
	env       []string
	out       io.Writer
}

// scenes are the commands that are shown after the session was played.
var scenes = []string{
	"hookctl tail --session 5b0f6c2e --type session.*,tool.failed,subagent.*,compaction.*,identity.* -n 16",
	"hookctl tail -n 8",
	"hookctl session list --all",
	"hookctl identity show --session 5b0f6c2e",
	"replay verify",
}

func run(bin, session string) (err error) {
	bin, err = filepath.Abs(bin)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "hookline-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	colour := coloured(os.Stdout, os.Getenv)
	var shown io.Writer = os.Stdout
	if !colour {
		shown = plain{os.Stdout}
	}
	s := &stage{bin: bin, root: root, out: shown}
	if s.env, err = environment(bin, root, colour); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.quiet("hookctl", "stop")) }()
	if err := s.play(session); err != nil {
		return err
	}
	for _, line := range scenes {
		if err := s.show(line); err != nil {
			return err
		}
	}
	return nil
}

// coloured tells whether colour has a place on stdout, by the rules that the programs themselves keep.
func coloured(stdout *os.File, getenv func(string) string) bool {
	return term.IsTerminal(int(stdout.Fd())) && getenv("NO_COLOR") == "" && getenv("CI") == "" && getenv("TERM") != "dumb"
}

// plain writes a text without its colours.
type plain struct{ to io.Writer }

// sequence is what sets a colour. Each one is written whole by one Write.
var sequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Write tells the length of p as it came: nothing that was meant to be seen is missing.
func (w plain) Write(p []byte) (int, error) {
	if _, err := w.to.Write(sequence.ReplaceAll(p, nil)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// environment is a fresh home; nothing of the user's own is read or written.
func environment(bin, root string, color bool) ([]string, error) {
	home, state := filepath.Join(root, "home"), filepath.Join(root, "state")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "HOOKLINE_HOME=" + state,
		"HOOKLINE_SOCKET=" + filepath.Join(state, "hookd.sock"), "TZ=UTC", "TERM=xterm-256color", "COLUMNS=110"}
	if color {
		env = append(env, "HOOKLINE_COLOR=always")
	}
	for _, name := range []string{"SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env, nil
}

// play sends every recorded hook by a process of its own and prints what the agent would be told.
func (s *stage) play(session string) error {
	f, err := os.Open(session)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(s.out, "\x1b[2m# a recorded session, one hookctl process a hook; what the agent is told is shown\x1b[0m\n")
	begin, hooks := time.Now(), 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		name, body, err := payload(lines.Bytes())
		if err != nil {
			return err
		}
		told, err := s.hook(name, body)
		if err != nil {
			return err
		}
		hooks++
		if name == "SessionStart" || name == "UserPromptSubmit" && hooks < 8 {
			s.tell(name, told)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Fprintf(s.out, "\x1b[2m# %d hooks in %d ms, %.1f ms each, durable\x1b[0m\n", hooks, took.Milliseconds(),
		float64(took.Microseconds())/1000/float64(hooks))
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

func (s *stage) hook(name string, body []byte) (string, error) {
	cmd := exec.Command(filepath.Join(s.bin, "hookctl"), "hook", name)
	cmd.Env, cmd.Dir, cmd.Stdin = s.env, s.root, bytes.NewReader(body)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("hook %s: %w", name, err)
	}
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			return "", fmt.Errorf("hook %s answered %q: %w", name, out, err)
		}
	}
	return answer.Specific.Context, nil
}

func (s *stage) tell(name, told string) {
	for _, l := range strings.Split(told, "\n") {
		fmt.Fprintf(s.out, "\x1b[36m%-17s\x1b[0m %s\n", name, l)
		name = ""
	}
}

// show runs one command as a person would and prints it with its output.
func (s *stage) show(line string) error {
	fmt.Fprintf(s.out, "\n\x1b[1;32m$\x1b[0m \x1b[1m%s\x1b[0m\n", line)
	words := strings.Fields(line)
	cmd := exec.Command(filepath.Join(s.bin, words[0]), words[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.env, s.root, s.out, s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

func (s *stage) quiet(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Env = s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

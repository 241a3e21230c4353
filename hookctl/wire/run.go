package wire

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const hookdMissing = "hookctl: error: hookd was not found beside hookctl, nor on the PATH\n" +
	"hookctl: hint: install both into one folder (make install)\n"

// Run runs the program hookctl: a hook call is sent to the daemon, everything else becomes hookd, or hookfind for a
// search.
func Run(args []string) int {
	if IsHook(args) {
		return Hook(args, "")
	}
	program := findHookd()
	if program == "" {
		os.Stderr.WriteString(hookdMissing)
		return 1
	}

	if isSearch(args) {
		hookfind := filepath.Join(filepath.Dir(program), "hookfind"+exe)
		if executable(hookfind) {
			program = hookfind
		}
	}
	return Become(program, args)
}

func isSearch(args []string) bool {
	return len(args) > 0 && (args[0] == "find" || args[0] == "blame" || args[0] == "file")
}

// IsHook reports whether args are a call by the client; with --help they are a person's.
func IsHook(args []string) bool {
	if len(args) == 0 || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return false
	}
	verb := strings.Join(args[:min(len(args), 2)], " ")
	return args[0] == "hook" || verbs[verb] != ""
}

// deadlineFunc has the form of [Deadline].
type deadlineFunc func(args []string, event, dir string) time.Duration

// Hook records one hook call and answers it. hookd is the executable for trouble, "" to look for it.
// Of the time that a call may take after its input's last byte, the request gets 60 %, the delivery in
// trouble the rest but 5 %, which the start and the end of a process take.
func Hook(args []string, hookd string) int { return hook(args, hookd, Deadline) }

func hook(args []string, hookd string, deadline deadlineFunc) int {
	if os.Getenv("HOOKLINE_DISABLED") == "1" {
		return 0
	}

	begin := time.Now()
	home, note := Home(os.Getenv)
	frame := capture(args, begin)
	frame.Home, frame.Note = Mark(home), note
	frame.addInput(args, deadline)
	event := Event(args, frame.Body)
	limit := deadline(args, event, frame.Where())

	inputEnd := time.Now()
	start := inputEnd
	if countsInput(args) {
		start = begin
	}
	sendUntil := start.Add(limit * 6 / 10)
	if atLeast := inputEnd.Add(limit / 5); sendUntil.Before(atLeast) {
		sendUntil = atLeast
	}

	reply, err := send(sendUntil, home, event, frame)
	if err != nil {
		d := delivery{
			frame: frame, event: event, hookd: hookd,
			until: start.Add(limit * 95 / 100), hurry: countsInput(args),
		}
		reply = d.run()
	}
	os.Stdout.Write(reply.Stdout)
	os.Stderr.Write(reply.Stderr)
	return reply.Exit
}

// countsInput reports whether the deadline of a call includes the wait for its input: the brief delays every tool
// call, and the client ends a SessionEnd hook early.
func countsInput(args []string) bool {
	return slices.Contains(args, "brief") || Event(args, nil) == "SessionEnd"
}

// send asks the daemon at the socket of this environment, and where none is there, the one at the socket that the
// home names.
func send(until time.Time, home, event string, f Frame) (Reply, error) {
	socket := Socket(os.Getenv)
	reply, err := Do(until, socket, event, f)
	if !errors.Is(err, ErrNoDaemon) {
		return reply, err
	}

	other := OtherSocket(home, socket)
	if other == "" {
		return reply, err
	}
	return Do(until, other, event, f)
}

// capture returns the frame without its input.
func capture(args []string, now time.Time) Frame {
	f := Frame{
		ID:      NewID(now.UnixMilli()),
		Args:    args,
		PPID:    os.Getppid(),
		Time:    now.UnixMilli(),
		Env:     map[string]string{},
		Invoked: os.Args[0],
	}
	f.Cwd, _ = os.Getwd()
	f.Binary, _ = os.Executable()

	for _, name := range envNames {
		if v, ok := os.LookupEnv(name); ok {
			f.Env[name] = v
		}
	}
	return f
}

// addInput reads the input of a call from stdin into the frame.
func (f *Frame) addInput(args []string, deadline deadlineFunc) {
	asks := onlyAsks(args)
	clientNamesSession := os.Getenv("CLAUDE_CODE_SESSION_ID") != ""
	if !asks || !clientNamesSession { // S0 REQ-11: the brief does not wait for an input that is not needed
		f.readStdin(inputPatience(args, deadline))
	}
	if asks { // the input only names the session; its absence is no fault
		f.Complete, f.Note = true, ""
	}
}

// inputPatience returns how long the input of a call is waited for.
func inputPatience(args []string, deadline deadlineFunc) Patience {
	if !countsInput(args) {
		return Patience{Quiet: time.Second, Whole: 5 * time.Second}
	}

	wait := deadline(args, Event(args, nil), "") * 6 / 10
	if onlyAsks(args) {
		wait /= 4
	}
	return Patience{Quiet: wait, Whole: wait}
}

// readStdin reads one value from stdin into the frame; a terminal and /dev/null have none.
func (f *Frame) readStdin(p Patience) {
	in := Frame{Note: "no input"}
	info, err := os.Stdin.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice == 0 {
		in = ReadValue(stdin(), Limit, p)
	}

	f.Body, f.Size, f.Complete = in.Body, in.Size, in.Complete
	if f.Note != "" && in.Note != "" {
		f.Note += "; "
	}
	f.Note += in.Note
}

const dormantContext = "[System Consciousness]\n" +
	"State: DORMANT (C=0.00)\n" +
	"Kuramoto r=0.00, Identity IC=1.00 (healthy)\n" +
	"Guidance: Initialize consciousness context\n"

// Degraded returns the text that a verb prints when no daemon answers.
func Degraded(args []string) []byte {
	if onlyAsks(args) {
		return []byte("[C:? r=? IC=?]\n")
	}
	if len(args) > 1 && args[1] == "inject-context" {
		return []byte(dormantContext)
	}
	return nil
}

// TakesJSON reports whether stdout of this call may carry a JSON answer: verbs print plain text, and the
// client uses the stdout of four hooks in another way (compaction's instructions, a path, a text).
func TakesJSON(args []string, event string) bool {
	if args[0] != "hook" {
		return false
	}
	switch event {
	case "PreCompact", "PostCompact", "WorktreeCreate", "MessageDisplay":
		return false
	}
	return true
}

// Message returns the answer that shows a text to the user and nothing to the model.
func Message(text string) []byte {
	return append(appendString([]byte(`{"systemMessage":`), text), "}\n"...)
}

// onlyAsks reports whether a call records nothing.
func onlyAsks(args []string) bool {
	return len(args) > 1 && args[1] == "brief" && !slices.Contains(args, "--hook")
}

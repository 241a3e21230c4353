package wire

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Run is the program hookctl: what a hook calls is sent to the daemon, everything else becomes hookd, or hookfind for a search.
func Run(args []string) int {
	if IsHook(args) {
		return Hook(args, "")
	}
	program := findHookd()
	if program == "" {
		os.Stderr.WriteString("hookctl: error: hookd was not found beside hookctl, nor on the PATH\nhookctl: hint: install both into one folder (make install)\n")
		return 1
	}
	searches := len(args) > 0 && (args[0] == "find" || args[0] == "blame")
	if hookfind := filepath.Join(filepath.Dir(program), "hookfind"+exe); searches && executable(hookfind) {
		program = hookfind
	}
	return Become(program, args)
}

// IsHook reports whether args are a call by the client; with --help they are a person's.
func IsHook(args []string) bool {
	if len(args) == 0 || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return false
	}
	return args[0] == "hook" || verbs[strings.Join(args[:min(len(args), 2)], " ")] != ""
}

// Hook records one hook call and answers it. hookd is the executable for trouble, "" to look for it.
// Of the time that a call may take after its input's last byte, the request gets 60 %, the delivery in
// trouble the rest but 5 %, which the start and the end of a process take.
func Hook(args []string, hookd string) int { return hook(args, hookd, Deadline) }

// hook is Hook with a deadline that a test may set.
func hook(args []string, hookd string, deadline func(args []string, event, dir string) time.Duration) int {
	if os.Getenv("HOOKLINE_DISABLED") == "1" {
		return 0
	}
	begin := time.Now()
	home, note := Home(os.Getenv)
	f := capture(args, begin)
	f.Home, f.Note = Mark(home), note
	asks := onlyAsks(args)
	inAll := slices.Contains(args, "brief") || Event(args, nil) == "SessionEnd"
	patience := Patience{Quiet: time.Second, Whole: 5 * time.Second}
	if inAll {
		part := deadline(args, Event(args, nil), "") * 6 / 10
		if asks {
			part /= 4
		}
		patience = Patience{Quiet: part, Whole: part}
	}

	if !asks || os.Getenv("CLAUDE_CODE_SESSION_ID") == "" { // S0 REQ-11: nothing is read where the client says whose brief is asked for
		f.read(patience)
	}
	if asks { // an input would name the session; its absence is no fault
		f.Complete, f.Note = true, ""
	}
	event := Event(args, f.Body)
	limit := deadline(args, event, f.Where())

	last := time.Now()
	from := last
	if inAll {
		from = begin
	}
	send := from.Add(limit * 6 / 10)
	if late := last.Add(limit / 5); late.After(send) {
		send = late
	}
	socket := Socket(os.Getenv)
	reply, err := Do(send, socket, event, f)
	if errors.Is(err, ErrNoDaemon) {
		if other := Elsewhere(home, socket); other != "" {
			reply, err = Do(send, other, event, f)
		}
	}
	if err != nil {
		reply = handOver(f, event, hookd, from.Add(limit*95/100), inAll)
	}
	os.Stdout.Write(reply.Stdout)
	os.Stderr.Write(reply.Stderr)
	return reply.Exit
}

// capture returns the frame without its input.
func capture(args []string, now time.Time) Frame {
	f := Frame{ID: NewID(now.UnixMilli()), Args: args, PPID: os.Getppid(), Time: now.UnixMilli(), Env: map[string]string{}}
	f.Cwd, _ = os.Getwd()
	f.Binary, _ = os.Executable()
	f.Invoked = os.Args[0]
	for _, name := range envNames {
		if v, ok := os.LookupEnv(name); ok {
			f.Env[name] = v
		}
	}
	return f
}

// read takes the input from stdin; a terminal and /dev/null have none.
func (f *Frame) read(p Patience) {
	in := Frame{Note: "no input"}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 {
		in = ReadValue(stdin(), Limit, p)
	}
	f.Body, f.Size, f.Complete = in.Body, in.Size, in.Complete
	if f.Note != "" && in.Note != "" {
		f.Note += "; "
	}
	f.Note += in.Note
}

// Degraded returns what a verb prints when no daemon answers.
func Degraded(args []string) []byte {
	switch {
	case onlyAsks(args):
		return []byte("[C:? r=? IC=?]\n")
	case len(args) > 1 && args[1] == "inject-context":
		return []byte("[System Consciousness]\nState: DORMANT (C=0.00)\nKuramoto r=0.00, Identity IC=1.00 (healthy)\nGuidance: Initialize consciousness context\n")
	}
	return nil
}

// Speaks reports whether stdout of this call may carry a JSON answer: verbs print plain text, and the
// stdout of four hooks is taken for something else (compaction's instructions, a path, a text).
func Speaks(args []string, event string) bool {
	return args[0] == "hook" && !slices.Contains([]string{"PreCompact", "PostCompact", "WorktreeCreate", "MessageDisplay"}, event)
}

// Message returns the answer that shows a text to the user and nothing to the model.
func Message(text string) []byte {
	return append(appendString([]byte(`{"systemMessage":`), text), "}\n"...)
}

// onlyAsks reports whether a call records nothing.
func onlyAsks(args []string) bool {
	return len(args) > 1 && args[1] == "brief" && !slices.Contains(args, "--hook")
}

package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Run is the program hookctl: what a hook calls is sent to the daemon, everything else becomes hookd.
func Run(args []string) int {
	if IsHook(args) {
		return Hook(args, "")
	}
	hookd := findHookd()
	if hookd == "" {
		os.Stderr.WriteString("hookctl: error: hookd was not found beside hookctl, nor on the PATH\nhookctl: hint: install both into one folder (make install)\n")
		return 1
	}
	return become(hookd, args)
}

// IsHook tells whether args are a call by the client; with --help they are a person's.
func IsHook(args []string) bool {
	for _, a := range args {
		if a == "--help" || a == "-h" {
			return false
		}
	}
	if len(args) == 0 || len(args) == 1 && args[0] != "hook" {
		return false
	}
	switch args[0] {
	case "hook":
		return true
	case "consciousness":
		return args[1] == "brief" || args[1] == "check-identity" || args[1] == "inject-context"
	case "session":
		return args[1] == "restore-identity" || args[1] == "persist-identity"
	}
	return false
}

// Hook records one hook call and answers it. hookd is the executable for trouble, "" to look for it.
// Of the time a call may take, input and request get 60 %, the delivery in trouble the rest but 5 %,
// which the start and the end of a process take; input that comes late leaves the request a fifth.
func Hook(args []string, hookd string) int { return hook(args, hookd, Deadline) }

// hook is Hook with a deadline that a test may set.
func hook(args []string, hookd string, deadline func(args []string, event, dir string) time.Duration) int {
	if os.Getenv("HOOKLINE_DISABLED") == "1" {
		return 0
	}
	start := time.Now()
	f := capture(args, start)
	event := Event(args, nil)
	limit := deadline(args, event, f.Where())
	silent := false // no input where there must be some
	asks := args[0] != "hook" && args[1] == "brief" && !has(args, "--hook")
	switch {
	case asks && os.Getenv("CLAUDE_CODE_SESSION_ID") != "":
		f.Complete = true // S0 REQ-11: nothing is read where the client says whose brief is asked for
	case asks:
		f.read(start.Add(limit / 6)) // an input would name the session; its absence is no fault
		f.Complete, f.Note = true, ""
	default:
		f.read(start.Add(limit * 6 / 10))
		silent = f.Size == 0 && args[0] == "hook"
		event = Event(args, f.Body)
		limit = deadline(args, event, f.Where())
	}
	until := start.Add(limit * 95 / 100)
	send := start.Add(limit * 6 / 10)
	if late := time.Now().Add(limit / 5); late.After(send) {
		send = late
	}
	var reply Reply
	if strings.HasSuffix(f.Note, late) { // on a busy machine the client writes late: the delivery reads on
		reply = deliver(f, event, until, hookd, true)
		silent = silent && unheard("no input in time")
	} else if r, err := find(send, event, f); err == nil {
		reply = r
	} else {
		reply = deliver(f, event, until, hookd, false)
	}
	if silent && Speaks(args, event) && (event != "SessionStart" || len(reply.Stdout) == 0) { // a session is greeted all the same
		reply.Stdout = Message("hookline: hook " + event + " got no input, so there was nothing to record; `hookctl doctor` checks the hook entries")
	}
	os.Stdout.Write(reply.Stdout)
	os.Stderr.Write(reply.Stderr)
	return reply.Exit
}

// find sends f to the daemon, wherever it listens.
func find(send time.Time, event string, f Frame) (Reply, error) {
	socket := Socket(os.Getenv)
	r, err := Do(send, socket, event, f)
	if errors.Is(err, ErrNoDaemon) {
		home, _ := Home(os.Getenv)
		if other := Elsewhere(home, socket); other != "" {
			return Do(send, other, event, f)
		}
	}
	return r, err
}

// capture is the frame without its input.
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
	_, f.Note = Home(os.Getenv)
	return f
}

// read takes the input from stdin; a terminal and /dev/null have none.
func (f *Frame) read(until time.Time) {
	in := Input{Note: "no input"}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 {
		in = ReadValue(stdinUntil(until), Limit, until)
	}
	f.Body, f.Size, f.Complete = in.Body, in.Size, in.Complete
	if f.Note != "" && in.Note != "" {
		f.Note += "; "
	}
	f.Note += in.Note
}

// unheard tells whether the user has not been told of a cause for an hour, and remembers that they are
// now. Where that cannot be remembered they hear it again.
func unheard(cause string) bool {
	home, _ := Home(os.Getenv)
	path := filepath.Join(home, "told", Hash(cause))
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < time.Hour {
		return false
	}
	_ = os.MkdirAll(filepath.Dir(path), 0o700)
	_ = os.WriteFile(path, []byte(cause+"\n"), 0o600)
	return true
}

// Degraded is what a verb prints when no daemon answers.
func Degraded(args []string) []byte {
	switch {
	case len(args) > 1 && args[1] == "brief" && !has(args, "--hook"):
		return []byte("[C:? r=? IC=?]\n")
	case len(args) > 1 && args[1] == "inject-context":
		return []byte("[System Consciousness]\nState: DORMANT (C=0.00)\nKuramoto r=0.00, Identity IC=1.00 (healthy)\nGuidance: Initialize consciousness context\n")
	}
	return nil
}

// Speaks tells whether stdout of this call may carry a JSON answer: verbs print plain text, and the
// stdout of four hooks is taken for something else (compaction's instructions, a path, a text).
func Speaks(args []string, event string) bool {
	switch event {
	case "PreCompact", "PostCompact", "WorktreeCreate", "MessageDisplay":
		return false
	}
	return len(args) > 0 && args[0] == "hook"
}

// Message is the answer that tells the user something and the model nothing.
func Message(text string) []byte {
	return append(appendString([]byte(`{"systemMessage":`), text), "}\n"...)
}

func has(args []string, flag string) bool {
	for _, a := range args {
		if a == flag {
			return true
		}
	}
	return false
}

// Package deliver is what happens to a frame that the client could not send to the daemon: the daemon is started, the
// frame is redacted and spooled, and the hook gets its degraded answer.
package deliver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"hookline/embedded"
	"hookline/hookctl/config"
	"hookline/hookctl/home"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// tellAgain is the time after which a warning to the user is repeated for the same cause.
const tellAgain = time.Hour

// Options of a delivery.
type Options struct {
	Until time.Time                         // when the answer is of no more use
	Spawn func(home.Paths, time.Time) error // starts the daemon, [home.Paths.StartDaemon]
	Kept  func()                            // called when the frame is on disk
}

// Command is "hookd deliver", which the client starts when a request failed: [Run] with the frame on stdin. What is
// for the client goes to stdout, in the form of the daemon's answer, after [wire.Kept]. "--until MS" is the deadline in
// Unix milliseconds; "--spawn" is the second process of [home.Paths.StartDaemon].
func Command(args []string) int {
	flags := flag.NewFlagSet("deliver", flag.ContinueOnError)
	until := flags.Int64("until", 0, "deadline, Unix milliseconds")
	again := flags.Bool("spawn", false, "start the daemon and exit")
	if flags.Parse(args) != nil {
		return 1
	}
	if *again {
		if err := home.Locate(os.Getenv).StartDetached(); err != nil {
			return fail(os.Stderr, err)
		}
		return 0
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // the frame is kept first
	signal.Ignore(syscall.SIGPIPE)                                                        // a client that has left must not stop the recording
	for _, kv := range []string{wire.OneThread, wire.NoTraceback} {                       // for this process alone, not for a daemon that it starts
		name, _, _ := strings.Cut(kv, "=")
		_ = os.Unsetenv(name)
	}
	kept := func() { _, _ = os.Stdout.Write([]byte{wire.Kept}) } // the client may have left

	var out, errw bytes.Buffer
	code := Run(os.Stdin, &out, &errw, Options{Until: time.UnixMilli(*until), Spawn: home.Paths.StartDaemon, Kept: kept})
	_, err := fmt.Fprintf(os.Stdout, "HTTP/1.1 200 OK\r\nHookline-Protocol: %d\r\nHookline-Exit: %d\r\nHookline-Stdout: %d\r\nContent-Length: %d\r\n\r\n%s%s",
		wire.Protocol, code, out.Len(), out.Len()+errw.Len(), out.Bytes(), errw.Bytes())
	if err != nil {
		return 1
	}
	return 0
}

// Run takes a frame that the client could not send to the daemon: it starts the daemon if there
// is none, puts the redacted frame on disk, and then prints the degraded answer. Only the start of a
// session waits for the daemon and gets the real answer. It returns the exit code, 0 but for a frame
// that cannot be read and for what the daemon says.
func Run(in io.Reader, out, errw io.Writer, opt Options) int {
	f, err := spool.ReadFrame(in)
	if err != nil {
		return fail(errw, err)
	}
	if cut := f.Size - int64(len(f.Body)); cut > 0 && f.Size <= wire.Limit {
		f.Complete, f.Size = false, int64(len(f.Body))
		f.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d bytes were cut on the way to the delivery", f.Note, cut), "; ")
	}
	d := &delivery{Options: opt, frame: f, event: wire.Event(f.Args, f.Body), paths: home.Locate(os.Getenv)}
	d.frame.Home = wire.Mark(d.paths.Home)
	if d.waits() {
		if reply, ok := d.startAndSend(); ok {
			d.Kept()
			out.Write(reply.Stdout)
			errw.Write(reply.Stderr)
			return reply.Exit
		}
	}
	d.record()
	if !d.waits() {
		d.start()
	}
	// A damaged log is said by exit 2 at the start of a session, which shows the words to the user and holds up nothing, while at
	// other hooks it would block the agent (S0 ERR-SESSION-01).
	if last := d.paths.LastStart(); d.event == "SessionStart" && last.Damaged {
		hint := "`hookctl repair --cf session_identity`"
		if last.Gone {
			hint = "`replay repair` begins a new log behind the lost one"
		}
		fmt.Fprintf(errw, "hookctl: error: Database corruption detected in session identity store: %s\n", last.Reason)
		fmt.Fprintf(errw, "hookctl: hint: %s; `hookctl doctor` shows what is damaged. Hooks are kept in the spool meanwhile\n", hint)
		return 2
	}
	return d.answer(out, errw)
}

// waits reports whether the answer is worth the wait for a daemon that starts: a session's identity, and
// whatever a gate has to say. Without it every edit would pass a closed gate until the daemon is back.
func (d *delivery) waits() bool {
	switch d.event {
	case "SessionStart":
		return true
	case "PreToolUse", "Stop":
		return d.frame.Args[0] == "hook" && wire.Gated(d.frame.Where())
	}
	return false
}

// delivery is one frame in trouble.
type delivery struct {
	Options
	frame    wire.Frame
	event    string
	paths    home.Paths
	spoolErr error // the frame is lost
	startErr error // no daemon will take it soon
	spawned  bool  // the daemon that is waited for is this process's own
	hangs    bool  // a daemon accepts connections, and has not answered the client in time
}

// start starts the daemon unless one accepts connections: one that hangs holds the store.
func (d *delivery) start() {
	for tries := 0; tries < 2; tries++ { // a daemon that was ending may have had the lock
		if d.paths.Reach(50 * time.Millisecond) {
			d.hangs = tries == 0
			return
		}
		err := d.Spawn(d.paths, time.Now())
		d.spawned = err == nil
		if !errors.Is(err, home.ErrStarting) {
			d.startErr = err
			return
		}
	}
}

// startAndSend waits for the daemon that it started, or that another process did, and sends the
// frame again under its id. An eighth of the time is kept for the spool.
func (d *delivery) startAndSend() (wire.Reply, bool) {
	until := d.Until.Add(-time.Until(d.Until) / 8)
	if d.start(); d.startErr != nil {
		return wire.Reply{}, false
	}
	for ; time.Now().Before(until); time.Sleep(4 * time.Millisecond) {
		reply, err := wire.Do(until, d.paths.Socket, d.event, d.frame)
		if err == nil {
			return reply, true
		}
		if errors.Is(err, wire.ErrBusy) { // it takes what waits first
			continue
		}
		if !errors.Is(err, wire.ErrNoDaemon) {
			return wire.Reply{}, false
		}
		if d.paths.Reach(50*time.Millisecond) || !d.paths.StartDied() {
			continue
		}
		if d.spawned {
			d.startErr = d.paths.LastStart().Err()
			return wire.Reply{}, false
		}
		if d.start(); d.startErr != nil { // it was another daemon's end that was waited for
			return wire.Reply{}, false
		}
	}
	return wire.Reply{}, false
}

// record redacts the frame and spools it, and spools it again where the project has patterns of its own: a file of a
// repository may lie on a file system that does not answer, and must not cost the hook. The plain brief only asks:
// there is nothing to keep.
func (d *delivery) record() {
	if d.verb() == "brief" && !slices.Contains(d.frame.Args, "--hook") {
		d.Kept()
		return
	}
	if !config.Load(config.Options{Getenv: os.Getenv}).Values.Records(spool.Launch(d.frame)) {
		d.Kept()
		return
	}
	frames := spool.Open(d.paths)
	d.spoolErr = frames.Write(Redacted(d.frame, Patterns("")))
	if d.spoolErr == nil {
		d.Kept()
	}
	if all := Patterns(spool.Launch(d.frame)); len(all.Project) > 0 && d.spoolErr == nil {
		d.spoolErr = frames.Write(Redacted(d.frame, all))
	}
}

// Patterns returns redact_extra of the user's configuration and of a project's, "" for none.
func Patterns(project string) redact.Extra {
	user, added := config.Patterns(os.Getenv, project)
	return redact.Extra{User: redact.Compile(user), Project: redact.Compile(added)}
}

// Redacted returns f without secrets and without what the patterns match; nothing else of a frame reaches a disk.
func Redacted(f wire.Frame, extra redact.Extra) wire.Frame {
	r := redact.New().With(extra)
	n := 0
	text := func(s string) string {
		b, rep := r.Text([]byte(s))
		n += rep.Count
		return string(b)
	}
	args, env := make([]string, len(f.Args)), make(map[string]string, len(f.Env))
	for i, a := range f.Args {
		args[i] = text(a)
	}
	for name, v := range f.Env {
		env[name] = text(v)
	}
	f.Args, f.Env, f.Cwd, f.Note = args, env, text(f.Cwd), text(f.Note)
	body, rep := r.JSON(f.Body)
	f.Size += int64(len(body) - len(f.Body)) // what the client cut away stays the difference
	f.Body, f.Binary, f.Invoked = body, text(f.Binary), text(f.Invoked)
	f.Redacted = n + rep.Count
	return f
}

// answer prints the degraded answer. The user hears of what they can act on, once an hour a cause;
// what is lost, they hear every time.
func (d *delivery) answer(out, errw io.Writer) int {
	message := ""
	verb := d.verb()
	// The user has to hear that the session goes on without the recorder: at a hook that waited for the daemon, and at a prompt
	// when the daemon hangs. One that just starts does not hang.
	leaves := d.startErr == nil && (d.waits() || d.hangs && d.event == "UserPromptSubmit")
	var refused *problem.Error
	switch {
	case d.spoolErr != nil && verb == "persist-identity":
		fmt.Fprintf(errw, "Failed to persist identity: %v\n", d.spoolErr) // S0 ERR-SESSION-04
		return 1
	case errors.As(d.spoolErr, &refused):
		message = "hookline: this hook is not recorded: " + refused.Message + "; " + refused.Hint
	case d.spoolErr != nil:
		message = "hookline: this hook is lost, it could not be written anywhere: " + d.spoolErr.Error()
	case d.startErr != nil && !d.full() && d.once("start "+d.startErr.Error()):
		message = "hookline: the recorder does not start (" + d.startErr.Error() + "); hooks are kept and recorded when it does. `hookctl doctor` tells what to do"
	case d.full() && d.once("the disk is full"):
		message = "hookline: the disk of " + d.paths.Home + " is full; hooks are kept where there is room and recorded when there is space again"
	case len(d.frame.Body) == 0 && d.frame.Args[0] == "hook" && d.event != "SessionStart":
		message = "hookline: " + hook.NoInput(d.event)
	case leaves && d.frame.Args[0] == "hook" && d.once("no answer "+d.event):
		message = "hookline: the recorder did not answer in time; this hook is kept and recorded later, " + unanswered(d.event) + ". `hookctl doctor` tells why"
	}
	exit := 0
	if verb == "restore-identity" && (d.spoolErr != nil || d.startErr != nil) {
		exit = 1 // S0 REQ-17: what cannot be read or written, as against what takes too long
	}
	switch {
	case message != "" && wire.TakesJSON(d.frame.Args, d.event):
		out.Write(wire.Message(message))
		return exit
	case message != "":
		fmt.Fprintln(errw, message)
	case verb == "restore-identity" && d.startErr != nil:
		fmt.Fprintf(errw, "hookline: the recorder does not start (%v); the identity was not restored\n", d.startErr)
	case verb == "restore-identity":
		fmt.Fprintln(errw, "hookline: the recorder did not answer in time; the identity was not restored")
	case verb == "inject-context" && d.startErr != nil:
		fmt.Fprintf(errw, "Context not retrieved: the recorder does not start (%v)\n", d.startErr)
	case verb == "inject-context" && d.spawned:
		fmt.Fprintln(errw, "Context not retrieved: no recorder was running; it has been started")
	case verb == "inject-context":
		fmt.Fprintln(errw, "Context retrieval timed out after 1s") // S0 ERR-SESSION-06
	}
	out.Write(wire.Degraded(d.frame.Args))
	return exit
}

// full reports whether the home's file system has no room left for a block of the log, or none that this user may use.
func (d *delivery) full() bool {
	if errors.Is(d.startErr, syscall.ENOSPC) || errors.Is(d.startErr, syscall.EDQUOT) {
		return true
	}
	free, _, err := embedded.FreeSpace(d.paths.Home)
	return err == nil && free < 1<<20
}

// unanswered returns what a hook without an answer in time goes on without.
func unanswered(event string) string {
	switch event {
	case "SessionStart":
		return "the identity was not restored"
	case "UserPromptSubmit":
		return "the agent goes on without its identity's state"
	}
	return "the gates of this repository were not checked"
}

// verb returns the second word of an identity verb.
func (d *delivery) verb() string {
	if len(d.frame.Args) > 1 && d.frame.Args[0] != "hook" {
		return d.frame.Args[1]
	}
	return ""
}

// once reports whether the user has not heard of cause for an hour, and remembers that they do now.
// Where that cannot be remembered they hear it again.
func (d *delivery) once(cause string) bool {
	sum := sha256.Sum256([]byte(cause))
	name := hex.EncodeToString(sum[:8])
	var places []string
	if d.paths.Check() == nil && home.PrivateDir(d.paths.Told) == nil {
		places = append(places, d.paths.Told)
	}
	for _, dir := range d.paths.Fallbacks { // a home may be read-only, a disk full
		told := filepath.Join(filepath.Dir(dir), "told")
		if home.CheckFallback(told) == nil || len(places) == 0 && home.FallbackDir(told) == nil {
			places = append(places, told)
		}
	}
	for _, dir := range places {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && time.Since(info.ModTime()) < tellAgain {
			return false
		}
	}
	for _, dir := range places {
		if safeopen.WriteFile(filepath.Join(dir, name), []byte(cause+"\n")) == nil {
			return true
		}
	}
	return true
}

// fail prints an error the way people's verbs do.
func fail(w io.Writer, err error) int {
	fmt.Fprintf(w, "hookctl: error: %v\n", err)
	return 1
}

package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// keepWithin is the time after its deadline that a hook waits for a delivery that has not kept the frame yet: on a
// busy machine the answer is worth nothing any more, but the record is.
const keepWithin = 3 * time.Second

// maxDeliveries is how many children are started for one frame.
const maxDeliveries = 2

const endedTwice = "the recorder's delivery ended twice without an answer; " +
	"`hookctl tail --type hook.refused` shows such hooks"

// Kept is the byte that "hookd deliver" writes before its answer as soon as the frame is on disk. The answer has the
// form of the daemon's. A delivery that ends without an answer was killed or has crashed.
const Kept = '\n'

// delivery hands the frame of a hook that the daemon did not answer to "hookd deliver".
type delivery struct {
	frame Frame
	event string
	hookd string    // the executable, "" to look for it
	until time.Time // for the answer

	// A hook in hurry does not wait for a child that is late: it goes on, and nearly always keeps the frame.
	hurry bool
}

// run relays the child's answer when that comes in time. This process keeps the frame until the child has: where two
// children end without an answer, or none keeps the frame in time, the user reads that.
func (d delivery) run() Reply {
	if d.hookd == "" {
		d.hookd = findHookd()
	}

	failure := "no daemon, and hookd was not found; reinstall with `make install`"
	if d.hookd != "" {
		for range maxDeliveries {
			var reply Reply
			reply, failure = d.try()
			if failure == "" {
				return reply
			}
		}
	}
	if onlyAsks(d.frame.Args) {
		return d.degraded()
	}

	err := keepLoss(d.frame, d.event)
	if errors.Is(err, os.ErrExist) { // a delivery has kept the frame and was ended then
		return d.degraded()
	}
	if err != nil {
		failure += "; nor can that be kept: " + err.Error()
	}
	return d.unrecorded("not recorded: " + failure)
}

// try runs one child. failure says why there is no reply and another child may be tried; it is "" otherwise.
func (d delivery) try() (reply Reply, failure string) {
	out, err := d.start()
	if err != nil {
		return Reply{}, "no daemon, and hookd cannot be started: " + err.Error()
	}
	reply, kept, err := d.relay(out)
	if err == nil {
		return reply, ""
	}
	if kept {
		return d.degraded(), ""
	}

	if !errors.Is(err, ErrTimeout) {
		return Reply{}, endedTwice
	}
	if d.hurry {
		return d.degraded(), ""
	}
	return d.unrecorded("perhaps not recorded: the machine is too busy to write it in time"), ""
}

// keepBy returns the time until which the frame has to be on disk.
func (d delivery) keepBy() time.Time {
	if d.hurry {
		return d.until
	}
	return d.until.Add(keepWithin)
}

func (d delivery) degraded() Reply {
	return Reply{Stdout: Degraded(d.frame.Args)}
}

// unrecorded returns the degraded answer of a hook that may be lost, with the reason where its output can show one.
func (d delivery) unrecorded(reason string) Reply {
	message := "hookline: this hook was " + reason
	if TakesJSON(d.frame.Args, d.event) {
		return Reply{Stdout: Message(message)}
	}
	if d.frame.Args[0] != "hook" {
		return Reply{Stdout: Degraded(d.frame.Args), Stderr: []byte(message + "\n")}
	}
	return Reply{}
}

// start starts the child, writes the frame to it and returns the child's output.
func (d delivery) start() (*os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) //nolint:forbidigo // the system's own
	if err != nil {
		return nil, err
	}
	defer null.Close()
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inRead.Close()
	defer inWrite.Close()
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outWrite.Close()

	margin := time.Until(d.until) / 10 // for the relay
	childUntil := strconv.FormatInt(d.until.Add(-margin).UnixMilli(), 10)
	// Of two values of a variable the first one counts: few threads, so that a limit on them does not end the child.
	env := append([]string{NoTraceback, OneThread}, os.Environ()...)
	attr := os.ProcAttr{Env: env, Files: []*os.File{inRead, outWrite, null}, Sys: detached()}
	if _, err := os.StartProcess(d.hookd, []string{d.hookd, "deliver", "--until", childUntil}, &attr); err != nil {
		return nil, err
	}

	// Only the child may have this end of the pipe, so that a write fails when the child has ended.
	inRead.Close()
	_ = inWrite.SetWriteDeadline(d.keepBy())
	inWrite.Write(d.frame.spooled()) // an error means that the child has ended, which its output shows
	return outRead, nil
}

// relay returns a child's answer, and whether the frame is on disk. The error is [ErrTimeout] when the child is still
// running.
func (d delivery) relay(out *os.File) (reply Reply, kept bool, err error) {
	_ = out.SetReadDeadline(d.keepBy()) // pipes of Windows have no deadlines: there the child's own counts
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		return Reply{}, false, readError(err)
	}

	kept = first[0] == Kept
	if kept {
		first = nil
		_ = out.SetReadDeadline(d.until)
	}
	reply, err = readReply(io.MultiReader(bytes.NewReader(first), out))
	return reply, kept, err
}

// These variables are set for a delivery's process alone. A traceback would write its memory, with a frame in it,
// into a core file where the user's environment asks for one.
const (
	NoTraceback = "GOTRACEBACK=none"
	OneThread   = "GOMAXPROCS=1"
)

// keepLoss puts a frame without its content, which may hold secrets, into the spool: the daemon records a lost hook
// with its time, size, session and tool call. The error is [os.ErrExist] where a frame of that id is there.
func keepLoss(f Frame, event string) error {
	home, _ := Home(os.Getenv)
	spool := filepath.Join(home, "spool")
	if err := makePrivate(home); err != nil {
		return err
	}
	if err := makePrivate(spool); err != nil {
		return err
	}

	body := appendString([]byte(`{"session_id":`), nameIn(f.Body, "session_id"))
	body = appendString(append(body, `,"tool_use_id":`...), nameIn(f.Body, "tool_use_id"))
	body = append(body, '}')
	loss := Frame{
		ID: f.ID, Args: []string{"hook", event}, PPID: f.PPID, Time: f.Time, Binary: f.Binary,
		Size: f.Size, Lost: true, Body: body,
	}

	// A daemon that finds half of it sets it aside, and records that.
	path := filepath.Join(spool, f.ID+".frame")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return err
	}
	_, err = file.Write(loss.spooled())
	return errors.Join(err, file.Sync(), file.Close())
}

// spooled returns the header as a line, then the body: the form of a frame in the spool and on a delivery's stdin.
func (f Frame) spooled() []byte {
	return append(append(f.Header(), '\n'), f.Body...)
}

// makePrivate makes a folder where there is none. It refuses one that somebody else can write to.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if !private(dir) {
		return errors.New(dir + " belongs to another user, or can be changed by others")
	}
	return nil
}

// findHookd returns the path of hookd beside this executable, else on the PATH, else "".
func findHookd() string {
	self, _ := os.Executable()
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}

	dirs := []string{filepath.Dir(self)}
	dirs = append(dirs, filepath.SplitList(os.Getenv("PATH"))...)
	for _, dir := range dirs {
		path := filepath.Join(dir, "hookd"+exe)
		if filepath.IsAbs(dir) && executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	onWindows := exe != "" // whose modes do not say it
	return onWindows || info.Mode()&0o111 != 0
}

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

// Kept is what "hookd deliver" writes before its answer, which has the form of the daemon's, as soon as the
// frame is on disk. A delivery that ends without an answer was killed or has crashed.
const Kept = '\n'

// handOver runs "hookd deliver" with the frame and relays its answer when that comes in time. This process keeps the frame
// until the child has: where two children end without an answer, or none keeps the frame in time, the user is told. In a
// hurry a child that is late is not waited for; it goes on, and nearly always keeps the frame.
func handOver(f Frame, event, hookd string, until time.Time, hurry bool) Reply {
	if hookd == "" {
		hookd = findHookd()
	}
	keepBy := until.Add(keepWithin)
	if hurry {
		keepBy = until
	}
	why := "no daemon, and hookd was not found; reinstall with `make install`"
	for try := 0; hookd != "" && try < 2; try++ {
		out, err := startDelivery(hookd, f, until, keepBy)
		if err != nil {
			why = "no daemon, and hookd cannot be started: " + err.Error()
			continue
		}
		reply, kept, err := relayed(out, until, keepBy)
		late := errors.Is(err, ErrTimeout)
		switch {
		case err == nil:
			return reply
		case kept, hurry && late:
			return Reply{Stdout: Degraded(f.Args)}
		case late:
			return unrecorded(f, event, "perhaps not recorded: the machine is too busy to write it in time")
		}
		why = "the recorder's delivery ended twice without an answer; `hookctl tail --type hook.refused` shows such hooks"
	}
	if onlyAsks(f.Args) {
		return Reply{Stdout: Degraded(f.Args)}
	}
	err := keepLoss(f, event)
	if errors.Is(err, os.ErrExist) { // a delivery has kept the frame and was ended then
		return Reply{Stdout: Degraded(f.Args)}
	}
	if err != nil {
		why += "; nor can that be kept: " + err.Error()
	}
	return unrecorded(f, event, "not recorded: "+why)
}

// unrecorded returns the degraded answer of a hook that may be lost.
func unrecorded(f Frame, event, why string) Reply {
	why = "hookline: this hook was " + why
	switch {
	case Speaks(f.Args, event):
		return Reply{Stdout: Message(why)}
	case f.Args[0] != "hook":
		return Reply{Stdout: Degraded(f.Args), Stderr: []byte(why + "\n")}
	}
	return Reply{}
}

// startDelivery starts the child, writes the frame to it, until keepBy at most, and returns the child's output.
func startDelivery(hookd string, f Frame, until, keepBy time.Time) (*os.File, error) {
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

	margin := time.Until(until) / 10 // for the relay
	argv := []string{hookd, "deliver", "--until", strconv.FormatInt(until.Add(-margin).UnixMilli(), 10)}
	// Of two values of a variable the first one counts: few threads, so that a limit on them does not end the child.
	env := append([]string{NoTraceback, OneThread}, os.Environ()...)
	attr := os.ProcAttr{Env: env, Files: []*os.File{inRead, outWrite, null}, Sys: ownSession()}
	if _, err := os.StartProcess(hookd, argv, &attr); err != nil {
		return nil, err
	}
	inRead.Close() // the child's alone, so that a write to one that has ended fails
	_ = inWrite.SetWriteDeadline(keepBy)
	inWrite.Write(append(append(f.Header(), '\n'), f.Body...)) // an error is a child that has ended, which its output says
	return outRead, nil
}

// relayed returns a child's answer, which has to come until the first time, and whether the frame is on disk, which has to be
// by the second one. The error is [ErrTimeout] when the child is still running.
func relayed(out *os.File, until, keepBy time.Time) (reply Reply, kept bool, err error) {
	_ = out.SetReadDeadline(keepBy) // pipes of Windows have no deadlines: there the child's own counts
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		return Reply{}, false, readError(err)
	}
	if kept = first[0] == Kept; kept {
		first = nil
		_ = out.SetReadDeadline(until)
	}
	reply, err = answer(io.MultiReader(bytes.NewReader(first), out))
	return reply, kept, err
}

// The environment of a delivery, for that process alone. A traceback would write its memory, with a frame in it, into a core
// file where the user's environment asks for one.
const (
	NoTraceback = "GOTRACEBACK=none"
	OneThread   = "GOMAXPROCS=1"
)

// keepLoss puts a frame without its content, which may hold secrets, into the spool: the daemon records a lost hook with its
// time, size, session and tool call. The error is [os.ErrExist] where a frame of that id is there.
func keepLoss(f Frame, event string) error {
	home, _ := Home(os.Getenv)
	dir := filepath.Join(home, "spool")
	for _, d := range []string{home, dir} { // nothing is made in what is not ours
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
		if !private(d) {
			return errors.New(d + " belongs to another user, or can be changed by others")
		}
	}
	body := appendString([]byte(`{"session_id":`), sniff(f.Body, "session_id"))
	body = appendString(append(body, `,"tool_use_id":`...), sniff(f.Body, "tool_use_id"))
	loss := Frame{ID: f.ID, Args: []string{"hook", event}, PPID: f.PPID, Time: f.Time, Binary: f.Binary, Size: f.Size, Lost: true, Body: append(body, '}')}
	// A daemon that finds half of it sets it aside, and records that.
	file, err := os.OpenFile(filepath.Join(dir, f.ID+".frame"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return err
	}
	_, err = file.Write(append(append(loss.Header(), '\n'), loss.Body...))
	return errors.Join(err, file.Sync(), file.Close())
}

// findHookd returns hookd beside this executable, else on the PATH, else "".
func findHookd() string {
	self, _ := os.Executable()
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	for _, dir := range append([]string{filepath.Dir(self)}, filepath.SplitList(os.Getenv("PATH"))...) {
		if path := filepath.Join(dir, "hookd"+exe); filepath.IsAbs(dir) && executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (exe != "" || info.Mode()&0o111 != 0)
}

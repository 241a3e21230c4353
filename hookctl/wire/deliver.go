package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// keepWithin is the time after its deadline that a hook waits for a delivery that has not kept the frame yet: on a
// busy machine the answer is worth nothing any more, but the record is.
const keepWithin = 3 * time.Second

// Kept is what "hookd deliver" writes before its answer, which has the form of the daemon's, as soon as the
// frame is on disk. A delivery that ends without an answer was killed or has crashed.
const Kept = '\n'

// handOver hands the frame to a child, "hookd deliver", and relays its answer when that comes in time. This process keeps the
// frame until the child has: where two children end without an answer, or none keeps the frame in time, the user is told.
// In a hurry a child that is late is not waited for; it goes on, and nearly always keeps the frame.
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
		d, err := startDelivery(hookd, f, until)
		if err != nil {
			why = "no daemon, and hookd cannot be started: " + err.Error()
			continue
		}
		reply, err := d.wait(until, keepBy)
		switch {
		case err == nil:
			return reply
		case d.isKept(), hurry && errors.Is(err, ErrTimeout):
			return Reply{Stdout: Degraded(f.Args)}
		case errors.Is(err, ErrTimeout):
			return unrecorded(f, event, "perhaps not recorded: the machine is too busy to write it in time")
		}
		why = "the recorder's delivery ended twice without an answer; `hookctl tail --type hook.refused` shows such hooks"
	}
	if onlyAsks(f.Args) {
		return Reply{Stdout: Degraded(f.Args)}
	}
	err := keepLoss(f, event)
	if errors.Is(err, os.ErrExist) {
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

// delivery is a running child.
type delivery struct {
	kept  chan struct{} // closed when the frame is on disk
	done  chan error    // the outcome; reply is set before
	reply Reply
}

func (d *delivery) isKept() bool {
	select {
	case <-d.kept:
		return true
	default:
		return false
	}
}

// wait returns the child's answer, or an error: [ErrTimeout] when it is still running. It waits for the frame to be kept
// to the second time, and for the answer after it to the first.
func (d *delivery) wait(until, keepBy time.Time) (Reply, error) {
	select {
	case err := <-d.done:
		return d.reply, err
	case <-time.After(time.Until(keepBy)):
		return Reply{}, ErrTimeout
	case <-d.kept:
	}
	select {
	case err := <-d.done:
		return d.reply, err
	case <-time.After(time.Until(until)):
		return Reply{}, ErrTimeout
	}
}

// atOnce bounds the bodies that fit a pipe with their header, so that writing them waits for nobody.
const atOnce = 2 << 10

// startDelivery starts the child. Its goroutines end with it or with this process, which is about to exit.
func startDelivery(hookd string, f Frame, until time.Time) (*delivery, error) {
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
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outWrite.Close()

	margin := time.Until(until) / 10 // for the relay
	argv := []string{hookd, "deliver", "--until", strconv.FormatInt(until.Add(-margin).UnixMilli(), 10)}
	attr := os.ProcAttr{Env: childEnv(os.Environ()), Files: []*os.File{inRead, outWrite, null}, Sys: ownSession()}
	if _, err := os.StartProcess(hookd, argv, &attr); err != nil {
		return nil, err
	}
	d := &delivery{kept: make(chan struct{}), done: make(chan error, 1)}
	send := func() {
		inWrite.Write(append(append(f.Header(), '\n'), f.Body...)) // an error is a child that has ended
		inWrite.Close()
	}
	if len(f.Body) < atOnce {
		send() // a hook in a hurry may end before another goroutine runs
	} else {
		go send()
	}
	go func() {
		first := make([]byte, 1)
		n, err := outRead.Read(first)
		if n == 1 && first[0] == Kept {
			close(d.kept)
			n = 0
		}
		if err == nil {
			d.reply, err = answer(io.MultiReader(bytes.NewReader(first[:n]), outRead))
		}
		d.done <- err
	}()
	return d, nil
}

// childEnv returns the environment of a delivery: few threads, so that a limit on them does not end it, and no traceback, which
// would write its memory, with a frame in it, into a core file where the user's environment asks for one.
func childEnv(env []string) []string {
	child := []string{NoTraceback}
	few := "GOMAXPROCS=1"
	for _, kv := range env {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GOTRACEBACK":
			continue
		case "GOMAXPROCS":
			few = kv
			continue
		}
		child = append(child, kv)
	}
	return append(child, few)
}

// NoTraceback is in the environment of a delivery, for that process alone.
const NoTraceback = "GOTRACEBACK=none"

// keepLoss puts a frame without its content into the spool of the home, by which the daemon learns that a hook is lost:
// its time, size, session and tool call. The content would lie there with its secrets. The error is [os.ErrExist] when a
// delivery has kept the frame and was ended then.
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
	path := filepath.Join(dir, f.ID+".frame")
	temp := filepath.Join(dir, "."+f.ID+"."+strconv.Itoa(os.Getpid())+".tmp")
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return err
	}
	_, err = file.Write(append(append(loss.Header(), '\n'), loss.Body...))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Link(temp, path)
	}
	_ = os.Remove(temp) // one that stays is set aside by the daemon
	return err
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

package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// deliver hands the frame to a child, "hookd deliver", and relays its answer when it comes in time.
// Late or not, the child goes on: it records the frame before it answers. With rest the child gets our
// stdin too and reads the input to its end; that is not waited for.
func deliver(f Frame, event string, until time.Time, hookd string, rest bool) Reply {
	degraded := Reply{Stdout: Degraded(f.Args)}
	if hookd == "" {
		hookd = findHookd()
	}
	child, err := startDelivery(hookd, f, until, rest)
	if err != nil {
		if Speaks(f.Args, event) {
			degraded.Stdout = Message("hookline: this hook was not recorded: no daemon, and hookd cannot be started (" + err.Error() + "); reinstall with `make install`")
		}
		return degraded
	}
	wait := time.Until(until)
	if rest {
		wait = 0
	}
	select {
	case reply := <-child.reply:
		return reply
	case <-time.After(wait):
	}
	select { // what the child has not read yet would be lost with us: this is the last chance of a large frame
	case <-child.fed:
	case <-time.After(max(until.Sub(time.UnixMilli(f.Time)), feedAtLeast)):
	}
	return degraded
}

const (
	// fitsPipe is what the pipe of every platform takes without a reader.
	fitsPipe = 16 << 10
	// feedAtLeast is how long a child that is late on a busy machine may take to read a large frame. What it has not
	// read by then is lost, while the client waits for a minute.
	feedAtLeast = 5 * time.Second
)

// delivery is a running child.
type delivery struct {
	reply chan Reply
	fed   chan struct{}
}

// startDelivery starts the child. Its goroutines end with it or with this process, which is about to exit.
func startDelivery(hookd string, f Frame, until time.Time, rest bool) (delivery, error) {
	d := delivery{make(chan Reply, 1), make(chan struct{})}
	if hookd == "" {
		return d, os.ErrNotExist
	}
	var in, out, errs [2]*os.File
	for _, pipe := range []*[2]*os.File{&in, &out, &errs} {
		r, w, err := os.Pipe()
		if err != nil {
			return d, err
		}
		pipe[0], pipe[1] = r, w
	}
	margin := time.Until(until) / 10 // for the relay
	argv := []string{hookd, "deliver", "--until", strconv.FormatInt(until.Add(-margin).UnixMilli(), 10)}
	files := []*os.File{in[0], out[1], errs[1]}
	if rest {
		argv, files = append(argv, "--rest"), []*os.File{os.Stdin, out[1], errs[1], in[0]}
	}
	p, err := os.StartProcess(hookd, argv, &os.ProcAttr{Files: files, Sys: ownSession()})
	if err != nil {
		return d, err
	}
	in[0].Close()
	out[1].Close()
	errs[1].Close()
	feed := func() {
		in[1].Write(append(append(f.Header(), '\n'), f.Body...)) // one write: the child gets all or nothing
		in[1].Close()
		close(d.fed)
	}
	if len(f.Body) <= fitsPipe-4<<10 {
		feed()
	} else {
		go feed()
	}
	go func() {
		var stdout, stderr bytes.Buffer
		drained := make(chan struct{})
		go func() { stderr.ReadFrom(errs[0]); close(drained) }()
		stdout.ReadFrom(out[0])
		<-drained
		reply := Reply{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
		if state, err := p.Wait(); err == nil && state.ExitCode() > 0 && state.ExitCode() <= 2 {
			reply.Exit = state.ExitCode()
		}
		d.reply <- reply
	}()
	return d, nil
}

// findHookd is hookd beside this executable, else on the PATH, else "".
func findHookd() string {
	name := "hookd" + exe
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if path := filepath.Join(filepath.Dir(self), name); executable(path) {
			return path
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (exe != "" || info.Mode()&0o111 != 0)
}

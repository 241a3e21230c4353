//go:build linux

package conversations

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	paths "hookline/hookctl/home"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// cmdFrame sends a frame made by hand: what a retry, a second install, a crash or a wrong clock
// would send. Its id is left in $FRAME. Flags before the event's name:
//
//	-id ID         instead of a new one
//	-ago DURATION  captured that long ago; negative: in the future
//	-from PATH     the client's executable
//	-spool         into the spool instead of to the daemon
//	-cut           of a client that gave up reading
func cmdFrame(ts *testscript.TestScript, neg bool, args []string) {
	h := homeOf(ts)
	flags := flag.NewFlagSet("frame", flag.ContinueOnError)
	id := flags.String("id", "", "")
	from := flags.String("from", filepath.Join(binaries, "hookctl"), "")
	ago := flags.Duration("ago", 0, "")
	waits := flags.Bool("spool", false, "")
	cut := flags.Bool("cut", false, "")
	ts.Check(flags.Parse(args))
	args, input := inputOf(ts, flags.Args())
	f := h.frame(args[0], input, time.Now().Add(-*ago))
	f.Binary, f.Complete = *from, !*cut
	f.ID = cmp.Or(*id, f.ID)
	ts.Setenv("FRAME", f.ID)
	if *waits {
		ts.Check(h.keep(f))
		return
	}
	reply, err := h.send(f)
	if neg {
		if err == nil {
			ts.Fatalf("the daemon took it")
		}
		return
	}
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s", reply.Stdout)
	fmt.Fprintf(ts.Stderr(), "%s", reply.Stderr)
}

// frame is the frame of a hook in this home's folder, captured at a time.
func (h home) frame(event, body string, at time.Time) wire.Frame {
	ms := at.UnixMilli()
	return wire.Frame{ID: wire.NewID(ms), Args: []string{"hook", event}, Cwd: h.dir, Time: ms, Env: map[string]string{}, Complete: true, Size: int64(len(body)), Body: []byte(body)}
}

func (h home) send(f wire.Frame) (wire.Reply, error) {
	return wire.Do(time.Now().Add(within), h.socket(), f.Args[1], f)
}

// keep puts a frame into the spool, as `hookd deliver` does.
func (h home) keep(f wire.Frame) error {
	return spool.Open(paths.PathsOf(h.state(), h.getenv)).Write(f)
}

// spooled lists the waiting frames' files.
func spooled(home string) []string {
	files, _ := filepath.Glob(filepath.Join(home, "spool", "*.frame"))
	return files
}

// grep names the first file below dir that holds text, "" when none does.
func grep(dir, text string) (string, error) {
	found := ""
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || found != "" || !e.Type().IsRegular() {
			return ignoreMissing(err)
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), text) {
			found = path
		}
		return ignoreMissing(err)
	})
	return found, err
}

// ignoreMissing: a running daemon makes and removes files.
func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

//go:build linux

package crash

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strconv"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
)

// nextStart is how long a start after a break may take on a machine that is busy with other things; on
// an idle one it is 2 s, and the figure is printed.
const nextStart = 20 * time.Second

// killing is a daemon's life of being killed.
type killing struct {
	*home
	ledger *ledger
	read   *reading
	took   time.Duration // of the newest start
	worst  time.Duration
}

// moments are what a daemon is doing when it is killed.
var moments = []struct {
	name string
	kill func(*killing, *testing.T)
}{
	{"under load", (*killing).underLoad},
	{"idle", (*killing).idle},
	{"starting", (*killing).starting},
	{"stopping", (*killing).stopping},
	{"draining", (*killing).draining},
	{"rebuilding", (*killing).rebuilding},
}

// A daemon that is killed at any moment has lost nothing that was promised and doubled nothing, and the
// next one starts.
func TestKillDaemon(t *testing.T) {
	t.Parallel()
	k := &killing{home: newHome(t, need(t, oldBuild), ""), ledger: newLedger(), read: newReading()}
	k.start(t)
	for i := range times(12, 204) {
		moment := moments[i%len(moments)]
		moment.kill(k, t)
		k.kill(t)
		k.start(t)
		if err := k.read.check(k.home, k.ledger); err != nil {
			t.Fatalf("round %d, killed while %s: %v", i, moment.name, err)
		}
	}
	finish(t, k.home, k.ledger)
	t.Logf("slowest start after a kill: %v", k.worst.Round(time.Millisecond))
}

// start brings a daemon up; a delivery may have been faster, which is as good.
func (k *killing) start(t *testing.T) {
	t.Helper()
	_, k.took = k.up(t)
	if k.worst = max(k.worst, k.took); k.took > nextStart {
		t.Errorf("the next start took %v", k.took)
	}
}

// during runs the load while something happens.
func (k *killing) during(t *testing.T, what func()) {
	t.Helper()
	w := k.load(k.ledger, rand.IntN(2)*2000)
	what()
	if _, err := w.stop(); err != nil {
		t.Error(err)
	}
}

func (k *killing) underLoad(t *testing.T) {
	k.during(t, func() {
		pause(300 * time.Millisecond)
		k.kill(t)
		pause(100 * time.Millisecond) // hooks without a daemon: they spool, and one starts it
	})
}

func (k *killing) idle(t *testing.T) {
	pause(time.Duration(times(200, 2500)) * time.Millisecond) // folded cells are written every 2 s
	k.kill(t)
}

func (k *killing) starting(t *testing.T) {
	k.kill(t)
	k.during(t, func() {
		k.serve(t)
		pause(k.took)
		k.kill(t)
	})
}

func (k *killing) stopping(t *testing.T) {
	k.during(t, func() {
		pause(100 * time.Millisecond)
		for _, pid := range k.running("serve") {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		pause(150 * time.Millisecond)
		k.kill(t)
	})
}

// spooled is how many frames wait: enough that a drain takes longer than a start.
const spooled = 150

func (k *killing) draining(t *testing.T) {
	k.kill(t)
	for range spooled {
		call := k.ledger.next()
		expect.OK(t, k.put(k.frame(call, 0)))
		k.ledger.promise(call, bySpool)
	}
	k.serve(t)
	pause(2 * k.took)
	k.kill(t)
}

func (k *killing) rebuilding(t *testing.T) {
	k.during(t, func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = k.ask("POST", "/v1/rebuild") // its connection ends with the daemon
		}()
		pause(200 * time.Millisecond)
		k.kill(t)
		<-done
	})
}

// A client or a delivery that is killed at any moment leaves nothing half behind: its hook counts once or
// not at all, the others are not touched, and the daemon is well.
func TestKillClient(t *testing.T) {
	t.Parallel()
	k := &killing{home: newHome(t, need(t, oldBuild), ""), ledger: newLedger(), read: newReading()}
	for i := range times(4, 25) {
		if i%2 == 0 {
			k.start(t)
		} else {
			k.kill(t) // deliveries have to start one
		}
		k.during(t, func() {
			for range 8 {
				k.killOne(t, k.clientOf(k.ledger.next()))
				k.killOne(t, k.deliveryOf(k.ledger.next()))
			}
		})
		k.start(t)
		if err := k.read.check(k.home, k.ledger); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	finish(t, k.home, k.ledger)
}

// victim is a process that will be killed, and how long it would run.
type victim struct {
	call  string
	input []byte
	args  []string
	lives time.Duration
}

func (k *killing) clientOf(call string) victim {
	return victim{call, payload(call, 3000), []string{"hookctl", "hook", "PostToolUse"}, 8 * time.Millisecond}
}

func (k *killing) deliveryOf(call string) victim {
	f := k.frame(call, 3000)
	until := time.Now().Add(time.Second).UnixMilli()
	return victim{call, append(append(f.Header(), '\n'), f.Body...), []string{"hookd", "deliver", "--until", strconv.FormatInt(until, 10)}, 60 * time.Millisecond}
}

// killOne starts a victim and kills it; one that was faster and ended well has promised.
func (k *killing) killOne(t *testing.T, v victim) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := k.command(ctx, v.args[0], v.args[1:]...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(v.input), &said, &said
	expect.OK(t, cmd.Start())
	pause(v.lives)
	_ = cmd.Process.Kill()
	if cmd.Wait() == nil && (outcome{said: said.String()}).kept() {
		k.ledger.promise(v.call, byClient)
	}
}

//go:build linux

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/expect"
)

// million is the size of a log after some years of daily work.
const million = 1_000_000

// idsRemembered is how long the server remembers the ids of events, to recognise repeated ones. A daemon that starts in
// that time loads a million of them, which no log of years has.
const idsRemembered = 2 * time.Minute

// The figures of a log of a million events: starts, verify, rebuild, at. They are printed, for
// docs/benchmarks.md; what is asserted is that each of it works. Goals on an idle machine: start after an
// exit in order 0.5 s, after a kill 3 s, a past point of one session 0.2 s.
func TestMillion(t *testing.T) {
	if !long() {
		t.Skip("skipped: a million events take minutes; HOOKLINE_CRASH=long makes them")
	}
	h := newHome(t, need(t, oldBuild), "")
	clock := stopwatch{t}
	clock.of("append", func() { appendMany(t, h.paths().Store, million, 0) })
	made := time.Now()
	clock.of("first start, which folds everything", func() { h.upPatiently(t) })
	h.stop(t)
	forgotten := func() error {
		if time.Since(made) < idsRemembered {
			return errNotYet
		}
		return nil
	}
	expect.OK(t, eventually(idsRemembered+within, forgotten))
	clock.of("start after an exit in order", func() { h.upPatiently(t) })
	h.kill(t)
	clock.of("start after a kill", func() { h.upPatiently(t) })
	clock.of("verify", func() {
		if err := h.wantClean(); err != nil {
			t.Error(err)
		}
	})
	clock.of("rebuild", func() { h.must(t, "POST", "/v1/rebuild") })
	for _, point := range []uint64{perSession / 2, million / 2, million} {
		clock.of(fmt.Sprintf("session at %d", point), func() {
			h.must(t, "GET", fmt.Sprintf("/v1/at?point=%d&projection=session&key=session-%04d", point, (point-1)/perSession))
		})
	}
	h.stop(t)
	t.Logf("store: %d MiB", sizeOf(t, h.paths().Store)>>20)
}

// stopwatch prints how long things took.
type stopwatch struct{ t *testing.T }

func (s stopwatch) of(what string, do func()) {
	begin := time.Now()
	do()
	s.t.Logf("%-40s %8.2f s", what, time.Since(begin).Seconds())
}

// upPatiently is up for a start that folds a long log.
func (h *home) upPatiently(t *testing.T) {
	t.Helper()
	h.serve(t)
	if err := eventually(5*time.Minute, func() error { _, err := h.status(); return err }); err != nil {
		t.Fatalf("the daemon does not answer: %v\n%s", err, h.lastWords())
	}
}

func (h *home) must(t *testing.T, method, path string) {
	t.Helper()
	if _, err := h.ask(method, path); err != nil {
		t.Error(err)
	}
}

func sizeOf(t *testing.T, dir string) (sum int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return sum
}

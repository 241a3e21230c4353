//go:build unix

package daemon

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
)

// A daemon whose log cannot be brought to disk ends with the first hook that finds out, as with any other
// write error: it would answer none any more. A verification says that the store has to be opened anew.
func TestFailedSyncEndsTheDaemon(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	take(t, d, bashOf("s-1", 1))
	msgs := filepath.Dir(blockPath(home, 1))
	expect.OK(t, os.Rename(msgs, msgs+".away"))
	_, err := d.Take(context.Background(), bashOf("s-1", 2))
	if !errors.Is(err, embedded.ErrWriteStuck) {
		t.Errorf("%v, want ErrWriteStuck", err)
	}
	select {
	case <-d.stopping:
	default:
		t.Error("the daemon goes on")
	}
	var p *problem.Error
	if _, err := d.Verify(t.Context(), nil); !errors.As(err, &p) || p.Hint != client.HintReopened || p.Status != http.StatusServiceUnavailable {
		t.Errorf("verify: %v", err)
	}
	if err := errors.Join(os.Rename(msgs+".away", msgs), d.Close(context.Background())); err != nil {
		t.Error(err)
	}
	d = open(t, home)
	defer shut(t, d)
	take(t, d, bashOf("s-1", 3))
	mustVerify(t, d)
}

//go:build unix

package daemon

import (
	"slices"
	"testing"

	"hookline/projector"
)

// After a start the cache has the briefs of live sessions; those of a long past are not worth the wait.
func TestFirstRoundWarmsLiveSessions(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	take(t, d, startOf("s-1"))
	take(t, d, startOf("s-2"))
	take(t, d, endOf("s-2"))
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	d.keeper.firstRound(t.Context())
	keys, err := d.server.Store().Keys(t.Context(), projector.BucketCache, "brief.")
	if err != nil || !slices.Equal(keys, []string{"brief.s-1"}) {
		t.Errorf("briefs %q, %v", keys, err)
	}
}

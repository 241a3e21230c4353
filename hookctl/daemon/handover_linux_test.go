package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// A request that names a program is not believed: the daemon would run what lies beside it.
func TestNoHandOverToANamedProgram(t *testing.T) {
	d := opened(t)
	dir := t.TempDir()
	for _, name := range []string{"hookctl", "hookd"} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
	}
	d.keeper.noticeBuild(t.Context(), "999.0.0", filepath.Join(dir, "hookctl"))
	if next := d.keeper.handOver.Load(); next != nil {
		t.Errorf("handing over to %s", *next)
	}
}

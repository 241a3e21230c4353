package daemon

import (
	"os"
	"path/filepath"
	"testing"
)

// A request that names a program is not believed: the daemon would run what lies beside it.
func TestNoHandOverToANamedProgram(t *testing.T) {
	d := open(t, newHome(t))
	defer shut(t, d)
	dir := t.TempDir()
	for _, name := range []string{"hookctl", "hookd"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	d.noticeBuild(t.Context(), "999.0.0", filepath.Join(dir, "hookctl"))
	if next := d.handOver.Load(); next != nil {
		t.Errorf("handing over to %s", *next)
	}
}

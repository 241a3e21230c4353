//go:build linux

package conversations

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdDamage overwrites the middle of every block of a stopped stream, and of its copies in the
// archive for the log itself: what a dying disk does.
func cmdDamage(ts *testscript.TestScript, _ bool, args []string) {
	h := homeOf(ts)
	ts.Check(h.gone()) // a process that is about to end has an empty environment, and for a moment none
	hit := 0
	ts.Check(filepath.WalkDir(filepath.Join(h.state(), "store"), func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".blk" || filepath.Base(filepath.Dir(filepath.Dir(path))) != args[0] {
			return err
		}
		hit++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i := len(data) / 3; i < 2*len(data)/3; i++ {
			data[i] ^= 0x5a
		}
		return os.WriteFile(path, data, 0o600)
	}))
	if hit == 0 {
		ts.Fatalf("stream %s has no block", args[0])
	}
}

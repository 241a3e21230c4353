package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealClientLargeWrite: the client reads nothing after a hook's exit and closes the pipe, so what hookctl has not
// read by then is gone. Both hooks of a Write of 12 MB must be whole in the log.
func TestRealClientLargeWrite(t *testing.T) {
	w := newWorld(t).start()
	var text strings.Builder
	for i := 0; text.Len() < 12<<20; i++ {
		fmt.Fprintf(&text, "line %d of a large file: %x\n", i, i*i)
	}
	r := w.print(Options{Scenario: "large", Vars: map[string]string{"LARGE": text.String()}}, "write large.txt")
	fired := count(w.calls(), func(c Call) string { return c.Hook }) // and those of a compaction, which such a Write causes
	if fired["PreToolUse"] != 1 || fired["PostToolUse"] != 1 {
		t.Fatalf("the client fired %v, want one PreToolUse and one PostToolUse", fired)
	}
	written, err := os.ReadFile(filepath.Join(w.project, "large.txt"))
	must(t, err)
	if string(written) != text.String() {
		t.Errorf("the client wrote %d bytes, want %d", len(written), text.Len())
	}
	if w.recorder() {
		w.everyHookOnce()
		w.rawKept()
		w.wellBehaved(r)
	}
	w.finish()
}

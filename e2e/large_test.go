package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
		w.wholeInLog("PreToolUse", "PostToolUse")
		w.wellBehaved(r)
	}
	w.finish()
}

// wholeInLog compares the input of single hooks, as the log gives it back, with what the client sent.
func (w *world) wholeInLog(hooks ...string) {
	w.t.Helper()
	sent := map[string]any{}
	for _, call := range w.calls() {
		var input any
		must(w.t, json.Unmarshal(call.Payload, &input))
		sent[call.Hook] = input
	}
	all, err := w.events()
	must(w.t, err)
	for _, e := range all {
		if !slices.Contains(hooks, e.Hook) {
			continue
		}
		out := w.hookctl("events", "show", fmt.Sprint(e.Seq), "--raw")
		var got any
		must(w.t, json.Unmarshal([]byte(out), &got))
		if !reflect.DeepEqual(sent[e.Hook], got) {
			w.t.Errorf("event %d, %s, has %d bytes and is not what the client sent", e.Seq, e.Hook, len(out))
		}
	}
}

//go:build linux

package conversations

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// clientEvents is how many hook events the client has (2.1.329).
const clientEvents = 33

// One payload of our own for each hook event goes in and comes back from the log as the same JSON. The schemas accept what is in the log then, and every golden record.
func TestPayloadsComeBack(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if err != nil || len(files) != clientEvents {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	h := newHome(t)
	for _, file := range files {
		roundTrip(t, h, file)
	}
	h.counts(t, "hook.*", 0) // refused, or not recognised
	expect.OK(t, h.verify())

	all := schemas{}
	for _, r := range h.mustEvents(t, "*") {
		all.check(t, h, fmt.Sprint(r.fields["type"]), r.fields["data"])
	}
	golden := expect.Value(filepath.Glob(filepath.Join("..", "events", "testdata", "golden", "*.json")))(t)
	if len(golden) < clientEvents {
		t.Errorf("%d golden records", len(golden))
	}
	for _, file := range golden {
		var r record
		expect.OK(t, json.Unmarshal(expect.Value(os.ReadFile(file))(t), &r.fields))
		all.check(t, h, fmt.Sprint(r.fields["type"]), r.fields["data"])
	}
}

// roundTrip sends a file's payload as the hook that the file is named after, and compares.
func roundTrip(t *testing.T, h home, file string) {
	t.Helper()
	payload := expect.Value(os.ReadFile(file))(t)
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	out := h.hook(t, name, string(payload))
	if silent[name] && out.stdout != "" {
		t.Errorf("%s: stdout %q", name, out.stdout)
	}
	last := expect.Value(h.newest("*", "hook="+name))(t)
	raw := expect.Value(h.ask("GET", fmt.Sprintf("/v1/events/%v?raw=1", last.fields["id"]), ""))(t)
	shown := h.verb(t, "events", "show", fmt.Sprint(last.fields["id"]), "--raw")
	if err := errors.Join(sameJSON(payload, raw), sameJSON(payload, []byte(shown))); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// silent are the hooks whose stdout the client takes for something else.
var silent = map[string]bool{"PreCompact": true, "PostCompact": true, "WorktreeCreate": true, "MessageDisplay": true}

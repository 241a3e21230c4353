//go:build unix

package conversations

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// clientEvents is how many hook events the client has (2.1.329).
const clientEvents = 33

// One payload of our own for each hook event goes in and comes back from the log as the same JSON, and so do those that
// the real client has sent (HOOKLINE_PAYLOADS). The schemas accept what is in the log then, and every golden record.
func TestPayloadsComeBack(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if err != nil || len(files) != clientEvents {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	h := newHome(t)
	for _, file := range files {
		if name := roundTrip(t, h, file); name+".json" != filepath.Base(file) {
			t.Errorf("%s is of %s", file, name)
		}
	}
	h.counts(t, "hook.*", 0) // refused, or not recognised
	if dir := os.Getenv("HOOKLINE_PAYLOADS"); dir != "" {
		for _, file := range expect.Value(filepath.Glob(filepath.Join(dir, "*.json")))(t) {
			roundTrip(t, h, file)
		}
	}
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

// roundTrip sends a file's payload as its hook and compares; "" for a file that is no hook's payload.
func roundTrip(t *testing.T, h home, file string) string {
	t.Helper()
	payload, err := os.ReadFile(file)
	expect.OK(t, err)
	var head struct {
		Name string `json:"hook_event_name"`
	}
	if err := json.Unmarshal(payload, &head); err != nil || head.Name == "" {
		t.Logf("%s is not a hook's payload", filepath.Base(file))
		return ""
	}
	before, _ := matching(h, "*", []string{"hook=" + head.Name}) // none while no daemon answers
	out := h.hook(t, head.Name, string(payload))
	if silent[head.Name] && out.stdout != "" {
		t.Errorf("%s: stdout %q", head.Name, out.stdout)
	}
	var last record
	err = eventually(func() error {
		list, err := matching(h, "*", []string{"hook=" + head.Name})
		if err == nil && len(list) <= len(before) {
			err = fmt.Errorf("%s: no event came of it", filepath.Base(file))
		}
		if err == nil {
			last = list[len(list)-1]
		}
		return err
	})
	expect.OK(t, err)
	raw := expect.Value(h.ask("GET", fmt.Sprintf("/v1/events/%v?raw=1", last.fields["id"]), ""))(t)
	shown := h.verb(t, "events", "show", fmt.Sprint(last.fields["id"]), "--raw")
	if err := errors.Join(sameJSON(payload, raw), sameJSON(payload, []byte(shown))); err != nil {
		t.Errorf("%s: %v", filepath.Base(file), err)
	}
	return head.Name
}

// silent are the hooks whose stdout the client takes for something else.
var silent = map[string]bool{"PreCompact": true, "PostCompact": true, "WorktreeCreate": true, "MessageDisplay": true}

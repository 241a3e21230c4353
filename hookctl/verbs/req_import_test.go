//go:build unix

package verbs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPinned_09_LongKeysAreMigrated(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	at := noon.Unix()
	put(t, filepath.Join(b.dir, ".git", "requirements", "feature-x.json"), fmt.Sprintf(`{"version":"1.0","branch":"feature/x","project":"/old","requirements":{
		"commit_plan":{"scope":"session","sessions":{
			%[1]q:{"satisfied":true,"satisfied_at":%[2]d,"satisfied_by":"skill","metadata":{"skill":"team:plan"},"expires_at":null,"triggered":true,"triggered_at":%[3]d},
			"c68c8a51":{"satisfied":true,"satisfied_at":%[3]d,"satisfied_by":"cli"}}},
		"adr_reviewed":{"scope":"session","sessions":{"c68c8a51":{"satisfied":true,"satisfied_at":%[2]d,"satisfied_by":"cli"}}},
		"sec":{"scope":"permanent","satisfied":true,"satisfied_at":%[2]d,"satisfied_by":"cli"}}}`, sessionA, at, at-60))
	equal(t, b.must("req", "import"), "✅ Imported 3 requirement(s) for feature/x from "+filepath.Join(b.dir, ".git", "requirements", "feature-x.json")+"\n")
	equal(t, b.hook(sessionA, reqEdit), "", "still satisfied")
	out := b.must("req", "status", "-s", "c68c8a51")
	contains(t, out, "commit_plan       session    skill, imported")
	if again := b.must("req", "import"); !strings.HasPrefix(again, "ℹ️  nothing new in ") {
		t.Errorf("importing twice: %q", again)
	}
}

// What cannot be read is named and left alone; the rest is imported.
func TestPinned_04_MalformedFiles(t *testing.T) {
	b := newReq(t, reqRules)
	folder := filepath.Join(b.dir, ".git", "requirements")
	put(t, filepath.Join(folder, "a.json"), "{")
	put(t, filepath.Join(folder, "b.json"), `{"version":"2.0","branch":"b","requirements":{}}`)
	put(t, filepath.Join(folder, "c.json"), `{"version":"1.0","requirements":{}}`)
	put(t, filepath.Join(folder, "d.json"), `{"version":"1.0","branch":"feature/x","requirements":{"sec":{"scope":"permanent","satisfied":true,"satisfied_by":"cli"}}}`)
	put(t, filepath.Join(folder, "e.json"), "")
	put(t, filepath.Join(b.env["HOME"], ".claude", "sessions.json"), `[]`)
	code, out, errs := b.run("req", "import")
	if code != 1 || out != "✅ Imported 1 requirement(s) for feature/x from "+filepath.Join(folder, "d.json")+"\n" {
		t.Errorf("%d %q", code, out)
	}
	for _, want := range []string{"a.json: not readable: line 1: unexpected end of JSON input; left alone", `b.json: version "2.0" is not "1.0"; left alone`,
		"c.json: it names no branch; left alone", "e.json: not readable: ", "sessions.json: must be an object, got: array; left alone\n"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing in %q", want, errs)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(folder, "a.json")); string(text) != "{" {
		t.Errorf("%q", text)
	}
}

func TestReqImportRegistry(t *testing.T) {
	b := newReq(t, reqRules)
	put(t, filepath.Join(b.env["HOME"], ".claude", "sessions.json"), fmt.Sprintf(`{"version":"1.0","sessions":{
		%q:{"pid":1,"ppid":4711,"project_dir":"/p","branch":"b","started_at":1795240000,"last_active":1795250000},
		"c68c8a51":{"pid":2,"ppid":4712,"project_dir":"/p","branch":"old","started_at":1795240000,"last_active":1795240001},
		"08345d22":{"pid":3,"ppid":4713,"project_dir":"/q","branch":"c","started_at":1795240000,"last_active":1795240002}}}`, sessionA))
	if got := b.must("req", "import"); !strings.HasPrefix(got, "✅ Imported 2 sessions from ") {
		t.Errorf("%q", got)
	}
	out := b.must("events", "list", "--type", "gate.imported", "-n", "1", "-o", "json")
	contains(t, out, `{"session":"c68c8a51","pid":4711,"project_dir":"/p","branch":"b"`, `{"session":"08345d22","pid":4713`)
	equal(t, b.must("req", "sessions"), "ℹ️  No active Claude Code sessions found.\n", "a session that never sent a hook lives")
}

package verbs

import (
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
)

// here is the project that the bench's directory belongs to.
const hereID = "1f3a90c2b7de"

// peopled is a fake with three sessions here, two of one alias, and one elsewhere.
func peopled(t *testing.T) (*bench, *fakeBackend) {
	t.Helper()
	f := newFake()
	b := newBench(t, f)
	seq := uint64(0)
	add := func(typ, sess, data string) {
		seq++
		r := record(seq, typ, sess, data)
		r.Branch, r.Time = "main", noon.Add(-time.Hour+time.Duration(seq)*time.Minute)
		f.events = append(f.events, r)
	}
	for _, s := range []string{sessionC, sessionB, sessionA} {
		add(events.TypeSessionStarted, s, `{"source":"startup","model":"claude-opus-4-5","session_id":"`+s+`","cwd":"/project"}`)
		add(events.TypePromptSubmitted, s, `{"prompt":"do it"}`)
	}
	add(events.TypeSessionEnded, sessionB, `{"reason":"prompt_input_exit"}`)
	for range 3 {
		add(events.TypeToolRequested, sessionA, `{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./..."}}`)
		add(events.TypeToolSucceeded, sessionA, `{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./..."}}`)
	}
	add(events.TypeToolFailed, sessionA, `{"tool_name":"Edit","tool_use_id":"u","tool_input":{"file_path":"/project/a.go"},"error":"no match"}`)
	f.fold(t)
	f.cells[session.Name]["99999999-x"] = session.State{ID: "99999999-x", Project: "another", Status: session.Live, LastActive: noon}
	path := b.Place(b.Cwd).Path()
	f.cells[project.Name][hereID] = project.State{ID: hereID, Name: "app", Path: path, Git: true, Remote: "https://example.com/app.git",
		RootCommit: "0123abcd", Paths: []string{"/old/app", path}, FirstSeen: noon.Add(-48 * time.Hour), LastSeen: noon.Add(-time.Minute), Sessions: 3, Joined: []string{"aaaaaaaaaaaa"}}
	f.cells[project.Name]["aaaaaaaaaaaa"] = project.State{ID: "aaaaaaaaaaaa", Name: "app", Path: "/old/app", LastSeen: noon.Add(-72 * time.Hour), JoinedInto: hereID}
	f.cells[project.Name]["bbbbbbbbbbbb"] = project.State{ID: "bbbbbbbbbbbb", Name: "lib", Path: "/lib", LastSeen: noon.Add(-time.Hour), Sessions: 1}
	return b, f
}

func TestNoIdentity(t *testing.T) {
	b, f := peopled(t)
	f.cells[identity.Name][sessionB] = identity.State{}
	contains(t, b.refuses("identity", "show", "--session", sessionB), "has no identity")
}

// What people call a bucket is the projection that the daemon is asked for.
func TestRepair(t *testing.T) {
	f := newFake()
	f.rebuild = `{"result":{"projection":"identity","seq":9,"changed":[]}}` + "\n"
	b := newBench(t, f)
	for args, path := range map[string]string{
		"--cf session_identity":     "POST /v1/rebuild?projection=identity",
		"--bucket snapshot":         "POST /v1/rebuild",
		"--bucket latest --dry-run": "POST /v1/rebuild?dry_run=1&projection=latest",
	} {
		b.must(append([]string{"repair"}, strings.Fields(args)...)...)
		expect.Equal(t, strings.Join(f.asked[len(f.asked)-2:], "\n"), path+"\nGET /v1/losses", args)
	}
}

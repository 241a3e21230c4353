package settings

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"hookline/expect"
)

func TestInspectNothing(t *testing.T) {
	o := options(t)
	st := mustInspect(t, o)
	if len(st.Scopes) != 3 || st.Duplicates != nil {
		t.Fatalf("%+v", st)
	}
	for i, s := range st.Scopes {
		if s.Scope != []Scope{User, Project, Local}[i] || s.Exists || s.Installed || s.Err != nil || s.Missing != nil {
			t.Errorf("%+v", s)
		}
	}
	if _, err := Inspect(Options{}); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	if st := mustInspect(t, Options{Home: o.Home}); len(st.Scopes) != 1 {
		t.Errorf("%+v", st)
	}
	if st := mustInspect(t, Options{Home: o.Home, ProjectDir: o.Home}); len(st.Scopes) != 2 {
		t.Errorf("one file counts once: %+v", st)
	}
}

func TestInspectInstalled(t *testing.T) {
	o := options(t)
	put(t, o, `{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"http"}]}],"Mine":[1]}}`)
	mustInstall(t, o)
	o.Scope, o.Profile = Project, Identity
	mustInstall(t, o)
	o.Profile = Full
	st := mustInspect(t, o)
	user, project := st.Scopes[0], st.Scopes[1]
	if !user.Installed || user.Profile != Full || len(user.Events) != 31 || user.Missing != nil || user.Outdated != nil || !user.Disabled {
		t.Errorf("user: %+v", user)
	}
	if want := map[string]int{"Stop": 2, "Mine": 1}; !reflect.DeepEqual(user.Foreign, want) || !reflect.DeepEqual(user.Binaries, []string{testBinary}) {
		t.Errorf("user: %+v", user)
	}
	if !project.Installed || project.Profile != Identity || len(project.Events) != 5 || project.Outdated != nil || project.Disabled || !reflect.DeepEqual(project.Binaries, []string{"hookctl"}) {
		t.Errorf("project: %+v", project)
	}
	var events []string
	for _, d := range st.Duplicates {
		events = append(events, d.Event)
		if !d.Twice || !reflect.DeepEqual(d.Scopes, []Scope{User, Project}) {
			t.Errorf("%+v", d)
		}
	}
	expect.Equal(t, strings.Join(events, " "), "PostToolUse PreToolUse SessionEnd SessionStart UserPromptSubmit", "duplicates")
}

// The client runs the same command of two files once.
func TestInspectSameCommandInTwoScopes(t *testing.T) {
	o := options(t)
	mustInstall(t, o)
	o.Scope = Local
	mustInstall(t, o)
	st := mustInspect(t, o)
	if len(st.Duplicates) != 31 || st.Duplicates[0].Twice {
		t.Errorf("%+v", st.Duplicates)
	}
}

func TestInspectOutdatedAndMissing(t *testing.T) {
	o := options(t)
	put(t, o, `{"hooks":{
		"Stop":[{"hooks":[{"type":"command","command":"/old/hookctl","args":["hook","Stop"],"timeout":12}]}],
		"Setup":[{"hooks":[{"type":"command","command":"/opt/hookline/bin/hookctl","args":["hook","Setup"],"timeout":60}]}],
		"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/hookline/bin/hookctl","args":["hook","PreToolUse"],"timeout":12}]},
		              {"hooks":[{"type":"command","command":"hookctl consciousness brief"}]}],
		"MessageDisplay":[{"hooks":[{"type":"command","command":"hookctl hook MessageDisplay"}]}]}}`)
	s := mustInspect(t, o).Scopes[0]
	want := []Outdated{
		{"Stop", []string{"/old/hookctl", "hook", "Stop"}, []string{testBinary, "hook", "Stop"}},
		{"Setup", []string{testBinary, "hook", "Setup"}, []string{testBinary, "hook", "Setup"}},
		{"PreToolUse", []string{"hookctl", "consciousness", "brief"}, []string{testBinary, "hook", "PreToolUse"}},
		{"MessageDisplay", []string{"hookctl", "hook", "MessageDisplay"}, nil},
	}
	if !reflect.DeepEqual(s.Outdated, want) {
		t.Errorf("outdated: %q", s.Outdated)
	}
	if s.Profile != Full || !reflect.DeepEqual(s.Events, []string{"PreToolUse"}) || len(s.Missing) != 28 || s.Missing[0] != "SessionStart" {
		t.Errorf("%+v", s)
	}
	if !reflect.DeepEqual(s.Binaries, []string{"/old/hookctl", testBinary, "hookctl"}) {
		t.Errorf("binaries: %q", s.Binaries)
	}
	o.Binary = "" // any path will do
	if s := mustInspect(t, o).Scopes[0]; len(s.Outdated) != 3 || !reflect.DeepEqual(s.Events, []string{"Stop", "PreToolUse"}) {
		t.Errorf("%+v", s)
	}
}

func TestInspectMalformed(t *testing.T) {
	o := options(t)
	put(t, o, "{\n]")
	o.Scope = Local
	mustInstall(t, o)
	st := mustInspect(t, o)
	var bad *SyntaxError
	if s := st.Scopes[0]; !errors.As(s.Err, &bad) || bad.Line != 2 || bad.Column != 1 || !s.Exists || s.Installed {
		t.Errorf("%+v", s)
	}
	if s := st.Scopes[2]; s.Err != nil || !s.Installed {
		t.Errorf("the others are read all the same: %+v", s)
	}
	expect.OK(t, os.Remove(st.Scopes[0].Path))
	expect.OK(t, os.Mkdir(st.Scopes[0].Path, 0o700))
	if s := mustInspect(t, o).Scopes[0]; !errors.Is(s.Err, syscall.EISDIR) {
		t.Errorf("%+v", s)
	}
}

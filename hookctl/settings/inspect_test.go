package settings

import (
	"reflect"
	"testing"
)

func TestInspect(t *testing.T) {
	o := options(t)
	put(t, o, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"http"}]}],"Mine":[1]}}`)
	mustInstall(t, o)
	o.Scope, o.Profile = Project, Identity
	mustInstall(t, o)
	o.Scope = Local
	put(t, o, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old/hookctl","args":["hook","Stop"],"timeout":12}]}]}}`)

	for i, want := range []ScopeState{
		{Scope: User, Hooks: 31, Profile: Full, Current: true, Binaries: []string{testBinary}},
		{Scope: Project, Hooks: 5, Profile: Identity, Current: true, Binaries: []string{"hookctl"}},
		{Scope: Local, Hooks: 1, Profile: Full, Binaries: []string{"/old/hookctl"}},
	} {
		o.Scope = want.Scope
		want.Path = o.Path()
		if got := Inspect(o).Scopes[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v", got)
		}
	}

	put(t, o, "{\n]")
	if st := Inspect(o); st.Scopes[2].Err == nil || st.Scopes[0].Hooks != 31 {
		t.Errorf("the others are read all the same: %+v", st)
	}
	if st := Inspect(Options{Home: o.Home, ProjectDir: o.Home}); len(st.Scopes) != 2 {
		t.Errorf("one file counts once: %+v", st)
	}
	if st := Inspect(Options{Home: o.Home}); len(st.Scopes) != 1 {
		t.Errorf("no folder of a project: %+v", st)
	}
}

package settings

import (
	"cmp"
	"slices"
)

// A State is what the client's settings files have of our hooks.
type State struct {
	Scopes []ScopeState // user, project, local; those whose folder is unknown are left out
	Plugin string       // our own plugin, where some scope switches it on; empty: none does
}

// A ScopeState is one settings file.
type ScopeState struct {
	Scope    Scope
	Path     string
	Err      error // the file cannot be read or understood; everything below is empty then
	Hooks    int   // handlers of ours
	Profile  Profile
	Current  bool     // they are what Install writes
	Binaries []string // programs that they call, each once; a bare name is looked up on PATH
}

// Inspect reads the settings files of all scopes; Scope, Profile and DryRun of the options do not matter. A file that cannot
// be read has its error in the ScopeState.
func Inspect(o Options) State {
	var st State
	for _, scope := range []Scope{User, Project, Local} {
		o.Scope = scope
		path := o.Path()
		seen := slices.ContainsFunc(st.Scopes, func(s ScopeState) bool { return s.Path == path }) // launched from the home: one file
		if path == "" || seen || o.Client == Codex && scope == Local {
			continue
		}
		s, plugin := o.inspect(path)
		st.Scopes = append(st.Scopes, s)
		st.Plugin = cmp.Or(st.Plugin, plugin)
	}
	return st
}

// inspect reads the settings file of one scope, and which plugin of ours it switches on.
func (o Options) inspect(path string) (s ScopeState, plugin string) {
	s = ScopeState{Scope: o.Scope, Path: path}
	var doc *document
	cur, err := read(path)
	if err == nil {
		doc, err = parse(path, cur)
	}
	if err != nil {
		s.Err = err
		return s, ""
	}
	list := doc.entries()
	for _, e := range list {
		if program := e.argv()[0]; !slices.Contains(s.Binaries, program) {
			s.Binaries = append(s.Binaries, program)
		}
	}
	if s.Hooks = len(list); s.Hooks > 0 {
		s.Profile = list[0].profile()
		o.Profile = s.Profile
		s.Current = doc.holds(o.entries(o.Command()))
	}
	return s, doc.plugin()
}

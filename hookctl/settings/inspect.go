package settings

import (
	"cmp"
	"slices"
	"sort"
)

// A State is what the client's settings files say about our hooks.
type State struct {
	Scopes     []ScopeState // user, project, local; those whose folder is unknown are left out
	Duplicates []Duplicate  // events with hooks of ours in more than one scope
	Plugin     string       // our own plugin, where some scope switches it on; empty: none does
}

// A ScopeState is one settings file. The lists of events are in the order of the file, those of
// missing ones in the order of the profile.
type ScopeState struct {
	Scope     Scope
	Path      string
	Exists    bool
	Err       error // the file cannot be read or understood; everything below is empty then
	Installed bool  // whether there is any entry of ours
	Profile   Profile
	Events    []string // with an entry exactly as Install would write it
	Missing   []string // of the profile, without an entry; empty if nothing is installed
	Outdated  []Outdated
	Binaries  []string       // programs that our entries call, each once; a bare name is looked up on PATH
	Foreign   map[string]int // handlers of others per event, also of events that we do not use
	Disabled  bool           // disableAllHooks is set: the client runs none
	Plugin    string         // our own plugin, where the file switches it on
}

// An Outdated is a handler of ours that Install would replace.
type Outdated struct {
	Event string
	Have  []string // program and arguments as they are
	Want  []string // as they would be; empty if the event is not of the profile. Equal to Have if only matcher, timeout or place differ
}

// A Duplicate is an event hooked from several scopes.
type Duplicate struct {
	Event  string
	Scopes []Scope
	// Twice tells whether the client runs it more than once: it runs handlers with the same
	// program and arguments only once.
	Twice bool
}

// Inspect reads the settings files of all scopes; Scope and DryRun of the options do not matter.
// Profile is the one to compare with where no entry tells, and Binary empty means that any
// path will do. A file that cannot be read is told in its ScopeState; Inspect itself fails only
// if the options name no file at all.
func Inspect(o Options) (State, error) {
	var st State
	var err error
	seen := map[string]bool{}
	found := map[string][]scoped{}
	for _, scope := range []Scope{User, Project, Local} {
		if o.Client == Codex && scope == Local {
			continue
		}
		o.Scope = scope
		if bad := o.validate(false); bad != nil {
			err = bad
			continue
		}
		if seen[o.Path()] { // launched from the home: one file, not two installs
			continue
		}
		seen[o.Path()] = true
		s, list := inspectScope(o)
		st.Scopes = append(st.Scopes, s)
		st.Plugin = cmp.Or(st.Plugin, s.Plugin)
		for _, e := range list {
			found[e.event] = append(found[e.event], scoped{scope, e})
		}
	}
	if len(st.Scopes) == 0 {
		return State{}, err
	}
	st.Duplicates = duplicates(found)
	return st, nil
}

type scoped struct {
	scope Scope
	entry entry
}

func inspectScope(o Options) (ScopeState, []entry) {
	s := ScopeState{Scope: o.Scope, Path: o.Path(), Profile: o.Profile}
	cur, err := read(s.Path)
	if err != nil {
		s.Err = err
		return s, nil
	}
	s.Exists = cur.exists
	doc, err := parse(s.Path, cur.data)
	if err != nil {
		s.Err = err
		return s, nil
	}
	list := doc.entries()
	s.Installed = len(list) > 0
	s.Disabled = doc.disabled
	s.Plugin = doc.plugin
	s.Foreign = map[string]int{}
	for _, ev := range doc.events {
		if n := ev.foreign(); n > 0 {
			s.Foreign[ev.name] = n
		}
	}
	if s.Installed {
		s.Profile = profileOf(list)
		s.compare(doc, list, o)
	}
	return s, list
}

// profileOf returns the profile that most entries belong to: the rest is left over from
// another and will show as outdated.
func profileOf(list []entry) Profile {
	identity := 0
	for _, e := range list {
		if e.profile() == Identity {
			identity++
		}
	}
	if 2*identity > len(list) {
		return Identity
	}
	return Full
}

// compare sorts the entries into present, missing and outdated.
func (s *ScopeState) compare(doc *document, list []entry, o Options) {
	want := map[string]entry{}
	o.Profile = s.Profile
	for _, w := range o.entries(o.Command()) {
		want[w.event] = w
		if !slices.ContainsFunc(list, func(e entry) bool { return e.event == w.event }) {
			s.Missing = append(s.Missing, w.event)
		}
	}
	for _, e := range list {
		argv := e.argv()
		if !slices.Contains(s.Binaries, argv[0]) {
			s.Binaries = append(s.Binaries, argv[0])
		}
		w, ok := want[e.event]
		if o.Command() == "" && o.Client != Codex {
			w.command = argv[0]
		}
		if ok && !slices.Contains(s.Events, e.event) && doc.hasExactly(w, e) {
			s.Events = append(s.Events, e.event)
			continue
		}
		old := Outdated{Event: e.event, Have: argv}
		if ok {
			old.Want = w.argv()
		}
		s.Outdated = append(s.Outdated, old)
	}
}

// hasExactly tells whether the handler e stands in the file as the entry w.
func (d *document) hasExactly(w, e entry) bool {
	return w.command == e.command && slices.Equal(w.args, e.args) && w.timeout == e.timeout &&
		w.matcher == e.matcher && slices.ContainsFunc(d.event(e.event).entries, w.same)
}

// duplicates returns the events found in more than one scope, by name.
func duplicates(found map[string][]scoped) []Duplicate {
	var list []Duplicate
	for event, all := range found {
		d := Duplicate{Event: event}
		for _, x := range all {
			if !slices.Contains(d.Scopes, x.scope) {
				d.Scopes = append(d.Scopes, x.scope)
			}
			// the client runs one handler once, whatever its timeout
			d.Twice = d.Twice || x.entry.command != all[0].entry.command || !slices.Equal(x.entry.args, all[0].entry.args)
		}
		if len(d.Scopes) > 1 {
			list = append(list, d)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Event < list[j].Event })
	return list
}

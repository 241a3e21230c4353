package events

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Upcaster turns the data of version n of a type into version n+1. It must be total: data it cannot
// read is returned as an error and the event is kept as [Unknown].
type Upcaster func(json.RawMessage) (json.RawMessage, error)

// Kind is one line of the catalog, made by [kind] beside the type's struct.
type Kind struct {
	Type      string       // wire name
	Hook      string       // the client's hook name, "" for a derived event
	Doc       string       // one sentence for docs/events.md
	New       func() Event // a fresh zero value, a pointer
	Upcasters []Upcaster   // element i turns version i+1 into i+2
}

// Version is the newest version of the type's data: one plus its number of upcasters.
func (k Kind) Version() int { return 1 + len(k.Upcasters) }

// The catalog by wire name and by the client's name of a hook.
var (
	byType = map[string]*Kind{}
	byHook = map[string]*Kind{}
)

// kind puts a type into the catalog; its line stands below the type's struct. hook is the client's name of the hook
// that the type records, "" for a derived event. A second type of the same name, or for the same hook, is a defect of
// the build and panics.
func kind[T any, P interface {
	*T
	Event
}](hook, doc string, upcasters ...Upcaster) *Kind {
	create := func() Event { return P(new(T)) }
	k := &Kind{Type: create().Type(), Hook: hook, Doc: doc, New: create, Upcasters: upcasters}
	if byType[k.Type] != nil || byHook[hook] != nil {
		panic("two kinds of event for " + k.Type + " " + hook)
	}
	byType[k.Type] = k
	if hook != "" {
		byHook[hook] = k
	}
	return k
}

// Catalog lists every kind of event, ordered by wire name.
func Catalog() []Kind {
	var out []Kind
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		out = append(out, *byType[typ])
	}
	return out
}

// Lookup finds a kind by its wire name.
func Lookup(typ string) (Kind, bool) {
	if k := byType[typ]; k != nil {
		return *k, true
	}
	return Kind{}, false
}

// OfHook finds the kind that records the client's hook of that name; a hook this build does not
// know is recorded as hook.unrecognized.
func OfHook(hook string) Kind {
	if k := byHook[hook]; k != nil {
		return *k
	}
	return *byType[TypeHookUnrecognized]
}

// Decode turns the data of one event into its struct, through the upcasters its version needs. It
// never fails: what cannot be typed is an [Unknown]. A field of the wrong JSON type is left at its
// zero value and the rest is still filled in. Data is one valid JSON object, as the log only takes
// such; raw members of the event alias it.
func Decode(typ string, version int, data json.RawMessage) Event {
	k := byType[typ]
	switch {
	case k == nil:
		return &Unknown{Name: typ, Version: version, Reason: "type"}
	case version > k.Version() || version < 1:
		return &Unknown{Name: typ, Version: version, Reason: "version"}
	}
	for _, up := range k.Upcasters[version-1:] {
		next, err := up(data)
		if err != nil {
			return &Unknown{Name: typ, Version: version, Reason: err.Error()}
		}
		data = next
	}
	e := k.New()
	if len(data) == 0 {
		return e
	}
	if Fill(data, e) {
		return e
	}
	e = k.New()
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(data, e); err != nil && !errors.As(err, &wrongType) {
		return &Unknown{Name: typ, Version: version, Reason: err.Error()}
	}
	return e
}

// NewRecord decodes an envelope that was read at seq.
func NewRecord(seq uint64, env Envelope) Record {
	return Record{Seq: seq, Envelope: env, Event: Decode(env.Type, env.Version, env.Data)}
}

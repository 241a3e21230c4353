package shape

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Fields are those of a struct, with those of the structs in it. What has a section of its own is
// named there and not unfolded, but for t itself.
func (p Page) Fields(t reflect.Type) []Field { return p.fields("", plain(t)) }

func (p Page) fields(prefix string, t reflect.Type) []Field {
	var out []Field
	for _, m := range members(t) {
		f := Field{Path: prefix + m.name, Type: p.member(m, plainName), Doc: m.doc, Absent: m.absent(), of: m}
		out = append(out, f)
		path, inner := f.Path, m.typ
		for deeper := true; deeper; {
			switch inner = plain(inner); {
			case leaf(inner) || p.named(inner) != "":
				deeper = false
			case inner.Kind() == reflect.Slice || inner.Kind() == reflect.Array:
				path, inner = path+"[]", inner.Elem()
			case inner.Kind() == reflect.Map:
				path, inner = path+".*", inner.Elem()
			default:
				out = append(out, p.fields(path+".", inner)...)
				deeper = false
			}
		}
	}
	return out
}

// named is the section that a type has, "" for none.
func (p Page) named(t reflect.Type) string {
	for _, o := range p.Objects {
		if plain(o.Of) == t {
			return o.Name
		}
	}
	return ""
}

// member are the words for a field's type: what is left out when there is none is never null.
func (p Page) member(m member, name func(string) string) string {
	switch {
	case m.time:
		return "time"
	case m.null:
		return p.words(m.typ, name) + orNull
	case m.omitted:
		return strings.TrimSuffix(p.words(m.typ, name), orNull)
	}
	return p.words(m.typ, name)
}

const orNull = " or null"

func plainName(name string) string { return name }

// words are a type as JSON has it; name writes that of an object with a section.
func (p Page) words(t reflect.Type, name func(string) string) string {
	null := ""
	if t.Kind() == reflect.Pointer {
		null = orNull
	}
	t = plain(t)
	if object := p.named(t); object != "" {
		return name(object) + null
	}
	switch {
	case t == timeType:
		return "time" + null
	case t == rawType || t.Kind() == reflect.Interface:
		return "any"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "array of " + p.words(t.Elem(), name) + null
	case reflect.Array:
		return fmt.Sprintf("array of %d ", t.Len()) + p.words(t.Elem(), name) + null
	case reflect.Map:
		return "object of " + p.words(t.Elem(), name) + null
	case reflect.Struct:
		return "object" + null
	case reflect.String:
		return "string" + null
	case reflect.Bool:
		return "boolean" + null
	case reflect.Float32, reflect.Float64:
		return "number" + null
	}
	return "integer" + null
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// plain is a type without its pointer, and the struct that stands for one that writes itself.
func plain(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if a, ok := reflect.Zero(t).Interface().(interface{ JSONSchemaAlias() any }); ok {
		return reflect.TypeOf(a.JSONSchemaAlias())
	}
	return t
}

// leaf tells a type that has nothing inside to be named.
func leaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return t == timeType
	case reflect.Slice:
		return t == rawType
	case reflect.Map, reflect.Array:
		return false
	}
	return true
}

// member is a field of a struct as encoding/json sees it.
type member struct {
	name, doc string
	typ       reflect.Type
	omitted   bool
	time      bool // a string that is one, or empty
	null      bool // it may be, though it is no pointer
}

// members are those of a struct in the order they are written, those of embedded structs in their
// place; of two with one name the outer counts.
func members(t reflect.Type) []member {
	var out []member
	depth := map[string]int{}
	var add func(t reflect.Type, level int)
	add = func(t reflect.Type, level int) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				add(plain(f.Type), level+1)
				continue
			case !f.IsExported() || name == "-" && options == "":
				continue
			case name == "":
				name = f.Name
			}
			m := member{name: name, doc: f.Tag.Get("jsonschema_description"), typ: f.Type, time: f.Tag.Get("jsonschema") == "format=date-time", null: f.Tag.Get("jsonschema") == "nullable",
				omitted: slices.ContainsFunc(strings.Split(options, ","), func(o string) bool { return strings.HasPrefix(o, "omit") })}
			before, twice := depth[name]
			if twice && before <= level {
				continue
			}
			out = append(slices.DeleteFunc(out, func(o member) bool { return o.name == name }), m)
			depth[name] = level
		}
	}
	add(plain(t), 0)
	return out
}

// absent says when a member is left out, "" for never.
func (m member) absent() string {
	if !m.omitted {
		return ""
	}
	switch m.typ.Kind() {
	case reflect.Bool:
		return "if false"
	case reflect.Pointer, reflect.Struct:
		return "if none"
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array:
		return "if empty"
	}
	return "if 0"
}

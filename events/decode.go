package events

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// A reader of one JSON object into one event struct, in one pass over the bytes. encoding/json goes
// over them three times (validate, find, copy) and that is most of what a fold of the log costs. The
// rules are encoding/json's with three differences: names are compared exactly, a value of the wrong
// type leaves its field alone without a word, and raw members alias the data instead of copying it.
// Values that are no strings, numbers, booleans, raw members, structs or lists of structs are left to encoding/json.

// field is one member that a struct takes.
type field struct {
	name  string
	index []int
	kind  reflect.Kind          // String, Bool, Int64, Float64, Slice for raw, Pointer to a struct, Array for a list of structs; Invalid for encoding/json
	after atomic.Pointer[field] // the one that came behind it in the last object
}

// shape is what a struct type takes. Objects of one kind have their members in one order, so the next member is
// nearly always the one that came next in the object before.
type shape struct {
	fields map[string]*field
	first  atomic.Pointer[field]
}

// named is the field of that name, nil where there is none. guess is where its like stood in the last object.
func (s *shape) named(name []byte, guess *atomic.Pointer[field]) *field {
	if f := guess.Load(); f != nil && f.name == string(name) {
		return f
	}
	f := s.fields[string(name)]
	if f != nil {
		guess.Store(f)
	}
	return f
}

var rawType = reflect.TypeFor[json.RawMessage]()

// shapes caches the shape of each struct type.
var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{fields: map[string]*field{}}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "" || name == "-" {
			continue
		}
		s.fields[name] = &field{name: name, index: f.Index, kind: kindOf(f.Type)}
	}
	shapes.Store(t, s)
	return s
}

func kindOf(t reflect.Type) reflect.Kind {
	switch {
	case t == rawType:
		return reflect.Slice
	case t.Kind() == reflect.String, t.Kind() == reflect.Bool, t.Kind() == reflect.Float64:
		return t.Kind()
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return reflect.Int64
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return reflect.Pointer
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return reflect.Array
	}
	return reflect.Invalid
}

// Fill reads one JSON object into the struct that into points to, in one pass; false when it cannot, and
// into is then to be thrown away and encoding/json to be asked. Raw members alias data.
func Fill(data []byte, into any) bool {
	seen := recents.Get().(*recent)
	defer recents.Put(seen)
	return seen.fill(data, reflect.ValueOf(into).Elem())
}

// fill reads data into the struct v.
func (r *recent) fill(data []byte, v reflect.Value) bool {
	shape := shapeOf(v.Type())
	guess := &shape.first
	i := blank(data, 0)
	if i >= len(data) || data[i] != '{' {
		return false
	}
	if i = blank(data, i+1); i < len(data) && data[i] == '}' {
		return blank(data, i+1) == len(data)
	}
	for {
		keyEnd, plain := literal(data, i)
		if keyEnd < 0 || !plain {
			return false // a name with an escape: rare enough for the slow way
		}
		f := shape.named(data[i+1:keyEnd-1], guess)
		if i = blank(data, keyEnd); i >= len(data) || data[i] != ':' {
			return false
		}
		i = blank(data, i+1)
		end, text := literal(data, i)
		if end < 0 {
			end = valueEnd(data, i)
		}
		if end < 0 {
			return false
		}
		if f != nil {
			if !r.set(v.FieldByIndex(f.index), f.kind, data[i:end], text) {
				return false
			}
			guess = &f.after
		}
		if i = blank(data, end); i >= len(data) {
			return false
		}
		if data[i] == '}' {
			return blank(data, i+1) == len(data)
		}
		if data[i] != ',' {
			return false
		}
		i = blank(data, i+1)
	}
}

// set puts one value into its field; plain says that it is a string without an escape. A value of another type
// leaves it; what only the slow way can judge gives false.
func (r *recent) set(v reflect.Value, kind reflect.Kind, raw []byte, plain bool) bool {
	if kind == reflect.Slice {
		v.SetBytes(raw)
		return true
	}
	if string(raw) == "null" {
		return true
	}
	switch kind {
	case reflect.String:
		return r.setString(v, raw, plain)
	case reflect.Bool:
		if raw[0] == 't' || raw[0] == 'f' {
			v.SetBool(raw[0] == 't')
		}
	case reflect.Int64:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			v.SetInt(n)
		}
	case reflect.Float64:
		if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
			n, err := strconv.ParseFloat(string(raw), 64)
			if err == nil {
				v.SetFloat(n)
			}
		}
	case reflect.Pointer:
		if raw[0] == '{' {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			return r.fill(raw, v.Elem())
		}
		_ = json.Unmarshal(raw, v.Addr().Interface())
	case reflect.Array:
		if raw[0] == '[' {
			return r.list(raw, v)
		}
	default:
		_ = json.Unmarshal(raw, v.Addr().Interface()) // a part of the wrong type is left at its zero value
	}
	return true
}

// list reads a list of objects into the slice v.
func (r *recent) list(raw []byte, v reflect.Value) bool {
	v.Set(reflect.MakeSlice(v.Type(), 0, 1))
	for i := blank(raw, 1); i < len(raw) && raw[i] != ']'; {
		end := valueEnd(raw, i)
		if end < 0 {
			return false
		}
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		if raw[i] == '{' && !r.fill(raw[i:end], v.Index(v.Len()-1)) {
			return false
		}
		if i = blank(raw, end); i < len(raw) && raw[i] == ',' {
			i = blank(raw, i+1)
		}
	}
	return true
}

func (r *recent) setString(v reflect.Value, raw []byte, plain bool) bool {
	if raw[0] != '"' {
		return true
	}
	body := raw[1 : len(raw)-1]
	if plain {
		if s, ok := r.text(body); ok {
			v.SetString(s)
			return true
		}
	} else if s, ok := unescape(body, false); ok {
		v.SetString(s)
		return true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return false
	}
	v.SetString(s)
	return true
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// maxDepth is where encoding/json gives up; it then says so.
const maxDepth = 10_000

// valueEnd gives the index behind the value that begins at i, -1 when it does not end. It looks at
// brackets and strings only.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, _ := literal(b, i)
			if end < 0 {
				return -1
			}
			if i = end; depth == 0 {
				return i
			}
			continue
		case '{', '[':
			if depth++; depth >= maxDepth {
				return -1
			}
		case '}', ']':
			if depth == 0 {
				return -1
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r', ':':
		default:
			end := i
			for end < len(b) && !ends(b[end]) {
				end++
			}
			if end == i {
				return -1
			}
			if i = end; depth == 0 {
				return i
			}
			continue
		}
		i++
	}
	return -1
}

// ends tells whether c ends a number or a word of JSON.
func ends(c byte) bool {
	switch c {
	case ',', ']', '}', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

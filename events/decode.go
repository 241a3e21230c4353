package events

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// A reader of one JSON object into one event struct, in one pass over the bytes. encoding/json goes
// over them three times (validate, find, copy) and that is most of what a fold of the log costs. The
// rules are encoding/json's with three differences: names are compared exactly, a value of the wrong
// type leaves its field alone without a word, and raw members alias the data instead of copying it.
// Values that are no strings, numbers, booleans, raw members, structs or lists of structs are left to encoding/json.

var rawType = reflect.TypeFor[json.RawMessage]()

// shapes caches the members of each struct type: the index of the field by its name.
var shapes sync.Map // reflect.Type → map[string][]int

func shapeOf(t reflect.Type) map[string][]int {
	if s, ok := shapes.Load(t); ok {
		return s.(map[string][]int)
	}
	shape := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && f.IsExported() && name != "" && name != "-" {
			shape[name] = f.Index
		}
	}
	shapes.Store(t, shape)
	return shape
}

// Fill reads one JSON object into the struct that into points to, in one pass; false when it cannot, and
// into is then to be thrown away and encoding/json to be asked. Raw members alias data.
func Fill(data []byte, into any) bool {
	seen := recents.Get().(*recent)
	defer recents.Put(seen)
	return seen.fill(data, reflect.ValueOf(into).Elem())
}

// fill reads data into the struct v. A name with an escape is rare enough for the slow way.
func (r *recent) fill(data []byte, v reflect.Value) bool {
	shape := shapeOf(v.Type())
	return members(data, func(name, value []byte, plain bool) bool {
		field, known := shape[string(name)]
		if !known {
			return bytes.IndexByte(name, '\\') < 0
		}
		return r.set(v.FieldByIndex(field), value, plain)
	})
}

// members calls see for each member of a JSON object, until it returns false: with the name as it stands between its
// quotes, the value, and whether that is a string without an escape. It reports whether b is one object and see has
// returned true for all of its members.
func members(b []byte, see func(name, value []byte, plain bool) bool) bool {
	i := blank(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	if i = blank(b, i+1); i < len(b) && b[i] == '}' {
		return blank(b, i+1) == len(b)
	}
	for {
		from := i
		to, _ := literal(b, from)
		if to < 0 {
			return false
		}
		if i = blank(b, to); i >= len(b) || b[i] != ':' {
			return false
		}
		i = blank(b, i+1)
		end, plain := literal(b, i)
		if end < 0 {
			end = valueEnd(b, i)
		}
		if end < 0 || !see(b[from+1:to-1], b[i:end], plain) {
			return false
		}
		if i = blank(b, end); i >= len(b) || b[i] != ',' {
			return i < len(b) && b[i] == '}' && blank(b, i+1) == len(b)
		}
		i = blank(b, i+1)
	}
}

// set puts one value into its field; plain says that it is a string without an escape. A value of another type
// leaves it; what only the slow way can judge gives false.
func (r *recent) set(v reflect.Value, raw []byte, plain bool) bool {
	t := v.Type()
	if t == rawType {
		v.SetBytes(raw)
		return true
	}
	if string(raw) == "null" {
		return true
	}
	switch kind := v.Kind(); {
	case kind == reflect.String:
		return raw[0] != '"' || r.setString(v, raw, plain)
	case kind == reflect.Bool:
		if raw[0] == 't' || raw[0] == 'f' {
			v.SetBool(raw[0] == 't')
		}
	case kind == reflect.Int || kind == reflect.Int64:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			v.SetInt(n)
		}
	case kind == reflect.Float64:
		if n, err := strconv.ParseFloat(string(raw), 64); err == nil {
			v.SetFloat(n)
		}
	case raw[0] == '{' && kind == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		return r.fill(raw, v.Elem())
	case raw[0] == '[' && kind == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return r.list(raw, v)
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
	if plain {
		if s, ok := r.text(raw[1 : len(raw)-1]); ok {
			v.SetString(s)
			return true
		}
	}
	s, ok := decodeText(raw)
	v.SetString(s)
	return ok
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// maxDepth is where encoding/json gives up; it then says so.
const maxDepth = 10_000

// valueEnd gives the index after the value that begins at i, -1 when it does not end. It looks at
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
			for end < len(b) && strings.IndexByte(",]} \n\t\r", b[end]) < 0 {
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

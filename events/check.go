package events

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Check tells what is wrong with the data of an event that somebody made by hand: a required field that
// is not there, or a value of another type than the field's. The error names the field, "data" for the
// whole. It asks what the kind's JSON Schema asks; fields that the kind does not name are allowed. What
// a client's hook says is not checked but decoded as far as it goes, see [Decode].
func Check(k Kind, data json.RawMessage) error {
	event := k.New()
	err := json.Unmarshal(data, event)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		field := cmp.Or(strings.TrimPrefix(wrong.Field, "Common."), "data")
		if number, other := strings.CutPrefix(wrong.Value, "number "); other {
			return fmt.Errorf("%s: %s is not %s that fits", field, number, words(wrong.Type.Kind()))
		}
		return fmt.Errorf("%s: %s is wanted, not %s", field, words(wrong.Type.Kind()), words(given[wrong.Value]))
	}
	var v any
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return lacks("data", reflect.TypeOf(event).Elem(), v)
}

// given are the kinds of what encoding/json found where another type was wanted.
var given = map[string]reflect.Kind{"string": reflect.String, "bool": reflect.Bool, "object": reflect.Map, "array": reflect.Slice, "number": reflect.Float64}

// words says what a value of a kind is in JSON.
func words(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}

// lacks names the first required member that a value of a Go type does not have; null is no value where the type has none.
// path is where the value stands.
func lacks(path string, t reflect.Type, v any) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == rawType {
		return nil
	}
	switch v := v.(type) {
	case nil:
		return fmt.Errorf("%s: %s is wanted, not null", path, words(t.Kind()))
	case []any:
		for i, e := range v {
			if err := lacks(fmt.Sprintf("%s[%d]", path, i+1), t.Elem(), e); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, e := range v {
			if t.Kind() != reflect.Map {
				break
			}
			if err := lacks(path+"."+name, t.Elem(), e); err != nil {
				return err
			}
		}
		if t.Kind() == reflect.Struct {
			return lacksMember(strings.TrimPrefix(path+".", "data."), t, v)
		}
	}
	return nil
}

// isTime tells whether a value is a time as RFC 3339 has it, or empty.
func isTime(v any) bool {
	text, _ := v.(string)
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil || text == ""
}

// lacksMember is [lacks] for an object.
func lacksMember(path string, t reflect.Type, m map[string]any) error {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		v, there := m[name]
		switch {
		case f.Anonymous || !f.IsExported() || name == "" || name == "-":
		case !there && !strings.Contains(options, "omitempty"):
			return fmt.Errorf("%s is missing", path+name)
		case there && strings.Contains(f.Tag.Get("jsonschema"), "format=date-time") && !isTime(v):
			return fmt.Errorf("%s: a time such as 2026-11-21T08:00:00Z is wanted, not %q", path+name, v)
		case !there || v == nil && strings.Contains(f.Tag.Get("jsonschema"), "nullable"):
		default:
			if err := lacks(path+name, f.Type, v); err != nil {
				return err
			}
		}
	}
	return nil
}

package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Check tells what is wrong with the data of an event that somebody made by hand: a required field that
// is not there, or a value of another type than the field's. The error names the field, "data" for the
// whole. It asks what the kind's JSON Schema asks; fields that the kind does not name are allowed. What
// a client's hook says is not checked but decoded as far as it goes, see [Decode].
func Check(k Kind, data json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return checkValue("", reflect.TypeOf(k.New()).Elem(), v)
}

// checkValue compares one value with a Go type; path is where it stands.
func checkValue(path string, t reflect.Type, v any) error {
	if t == rawType {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return checkValue(path, t.Elem(), v)
	case reflect.Struct:
		m, ok := v.(map[string]any)
		if !ok {
			return wrong(path, "an object", v)
		}
		return checkMembers(path, t, m)
	case reflect.Map:
		return checkMap(path, t, v)
	case reflect.Slice, reflect.Array:
		list, ok := v.([]any)
		if !ok {
			return wrong(path, "an array", v)
		}
		for i, e := range list {
			if err := checkValue(fmt.Sprintf("%s[%d]", path, i+1), t.Elem(), e); err != nil {
				return err
			}
		}
		return nil
	}
	return checkScalar(path, t, v)
}

func checkMembers(path string, t reflect.Type, m map[string]any) error {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "" || name == "-" {
			continue
		}
		v, there := m[name]
		if !there {
			if !strings.Contains(options, "omitempty") {
				return fmt.Errorf("%s is missing", joined(path, name))
			}
			continue
		}
		if v == nil && strings.Contains(f.Tag.Get("jsonschema"), "nullable") {
			continue
		}
		if err := checkValue(joined(path, name), f.Type, v); err != nil {
			return err
		}
	}
	return nil
}

func checkMap(path string, t reflect.Type, v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return wrong(path, "an object", v)
	}
	for name, e := range m {
		if _, err := strconv.Atoi(name); err != nil && t.Key().Kind() == reflect.Int {
			return fmt.Errorf("%s: the name is no number", joined(path, name))
		}
		if err := checkValue(joined(path, name), t.Elem(), e); err != nil {
			return err
		}
	}
	return nil
}

func checkScalar(path string, t reflect.Type, v any) error {
	switch t.Kind() {
	case reflect.String:
		if _, ok := v.(string); !ok {
			return wrong(path, "a string", v)
		}
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			return wrong(path, "true or false", v)
		}
	case reflect.Float32, reflect.Float64:
		n, ok := v.(json.Number)
		if !ok {
			return wrong(path, "a number", v)
		}
		if f, err := n.Float64(); err != nil || math.IsInf(f, 0) {
			return fmt.Errorf("%s: %s is too large a number", path, n)
		}
	default:
		return checkInteger(path, t, v)
	}
	return nil
}

func checkInteger(path string, t reflect.Type, v any) error {
	n, ok := v.(json.Number)
	if !ok {
		return wrong(path, "a whole number", v)
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || f < 0 && t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		return fmt.Errorf("%s: %s is not a whole number that fits", path, n)
	}
	return nil
}

func wrong(path, want string, v any) error {
	if path == "" {
		path = "data"
	}
	return fmt.Errorf("%s: %s is wanted, not %s", path, want, named(v))
}

func named(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

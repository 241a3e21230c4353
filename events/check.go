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

// Check returns what is wrong with the data of an event that somebody made by hand: a required field that
// is not there, or a value of another type than the field's. The error names the field, "data" for the
// whole. Fields that the kind does not name are allowed, and null stands for an absent one. What a client's
// hook says is not checked but decoded as far as it goes, see [Decode].
func Check(k Kind, data json.RawMessage) error {
	event := k.New()
	err := json.Unmarshal(data, event)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		field := cmp.Or(strings.TrimPrefix(wrong.Field, "Common."), "data")
		return fmt.Errorf("%s: %s does not fit", field, wrong.Value)
	}
	var v any
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return lacks("", reflect.TypeOf(event), v)
}

// lacks names the first required member that a value of a Go type does not have, also in its members and in lists, and the
// first time that is none. path stands before the names.
func lacks(path string, t reflect.Type, v any) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if list, ok := v.([]any); ok && t != rawType {
		for i, e := range list {
			if err := lacks(fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i+1), t.Elem(), e); err != nil {
				return err
			}
		}
	}
	object, ok := v.(map[string]any)
	if !ok || t.Kind() != reflect.Struct {
		return nil
	}

	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := object[name]
		switch {
		case f.Anonymous:
			continue
		case value == nil && options != "omitempty":
			return fmt.Errorf("%s is missing", path+name)
		case strings.Contains(f.Tag.Get("jsonschema"), "format=date-time") && !isTime(value):
			return fmt.Errorf("%s: a time such as 2026-11-21T08:00:00Z is wanted, not %q", path+name, value)
		}
		if err := lacks(path+name+".", f.Type, value); err != nil {
			return err
		}
	}
	return nil
}

// isTime reports whether a value is a time as RFC 3339 has it, or empty.
func isTime(v any) bool {
	text, _ := v.(string)
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil || text == ""
}

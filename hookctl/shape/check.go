package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Check compares what a verb printed with its output: how many objects, and the fields of each.
func (o Output) Check(printed []byte) error {
	if o.Of == nil {
		return nil
	}
	lines := bytes.Split(bytes.TrimSuffix(printed, []byte("\n")), []byte("\n"))
	if o.Lines && len(printed) == 0 {
		return nil
	}
	if !o.Lines && len(lines) != 1 {
		return fmt.Errorf("%s: %d lines, want one object on one", o.Verb, len(lines))
	}
	for i, line := range lines {
		if err := Check(o.Of, line, true); err != nil {
			return fmt.Errorf("%s, line %d: %w", o.Verb, i+1, err)
		}
	}
	return nil
}

// Check compares one object with the type that it is said to be of: every field is one of the type's,
// none that is always there is missing (unless only a part of the object is given: not whole), what
// is null may be, and a time is in UTC. It names every fault.
func Check(t reflect.Type, object []byte, whole bool) error {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	c := checker{whole: whole}
	c.value("", t, v)
	return errors.Join(c.faults...)
}

type checker struct {
	whole  bool
	faults []error
}

func (c *checker) fault(path, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s: %s", strings.TrimPrefix(path, "."), fmt.Sprintf(format, args...)))
}

func (c *checker) value(path string, t reflect.Type, v any) {
	null := t.Kind() == reflect.Pointer
	t = plain(t)
	if v == nil {
		if !null && t != rawType && t.Kind() != reflect.Interface {
			c.fault(path, "null")
		}
		return
	}
	switch {
	case t == rawType || t.Kind() == reflect.Interface:
	case t == timeType:
		c.time(path, v)
	case t.Kind() == reflect.Struct:
		c.object(path, t, v)
	case t.Kind() == reflect.Map:
		of, ok := v.(map[string]any)
		if !ok {
			c.fault(path, "%v is no object", v)
		}
		for _, k := range slices.Sorted(maps.Keys(of)) {
			c.value(path+"."+k, t.Elem(), of[k])
		}
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		of, ok := v.([]any)
		if !ok || t.Kind() == reflect.Array && len(of) != t.Len() {
			c.fault(path, "%v is no array of the right length", v)
		}
		for i, e := range of {
			c.value(fmt.Sprintf("%s[%d]", path, i), t.Elem(), e)
		}
	default:
		c.scalar(path, t, v)
	}
}

func (c *checker) object(path string, t reflect.Type, v any) {
	of, ok := v.(map[string]any)
	if !ok {
		c.fault(path, "%v is no object", v)
		return
	}
	known := map[string]bool{}
	for _, m := range members(t) {
		known[m.name] = true
		got, there := of[m.name]
		switch {
		case there && got == nil && m.omitted:
			c.fault(path+"."+m.name, "null, though it is left out when there is none")
		case got == nil && m.null && there:
		case there && m.time && got != "":
			c.time(path+"."+m.name, got)
		case there:
			c.value(path+"."+m.name, m.typ, got)
		case !m.omitted && c.whole:
			c.fault(path+"."+m.name, "missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if !known[name] {
			c.fault(path+"."+name, "not a field of it")
		}
	}
}

func (c *checker) scalar(path string, t reflect.Type, v any) {
	ok := false
	switch t.Kind() {
	case reflect.String:
		_, ok = v.(string)
	case reflect.Bool:
		_, ok = v.(bool)
	case reflect.Float32, reflect.Float64:
		_, ok = v.(json.Number)
	default:
		n, number := v.(json.Number)
		ok = number && !strings.ContainsAny(n.String(), ".eE")
	}
	if !ok {
		c.fault(path, "%v is no %s", v, Page{}.words(t, plainName))
	}
}

func (c *checker) time(path string, v any) {
	s, _ := v.(string)
	if _, err := time.Parse(time.RFC3339Nano, s); err != nil || !strings.HasSuffix(s, "Z") {
		c.fault(path, "%v is no time in UTC", v)
	}
}

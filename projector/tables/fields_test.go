package tables_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/projector/tables"
)

// Every field of a state is filled by a record of the recorded log. One that is filled by none has no handler, or the golden
// states would not notice when its fold changes.
func TestEveryFieldIsFolded(t *testing.T) {
	folded := foldAll(t, tables.All())
	for _, table := range tables.All() {
		all, filled := map[string]bool{}, map[string]bool{}
		for key, cell := range folded[table.Name()].Cells {
			var stored struct{ State json.RawMessage }
			expect.OK(t, json.Unmarshal(cell, &stored))
			state, err := table.Decode(stored.State)
			if err != nil {
				t.Fatalf("decode cell %q of projection %s: %v", key, table.Name(), err)
			}
			fieldsOf(reflect.TypeOf(state), all)
			filledFields(reflect.ValueOf(state), filled)
		}

		for _, field := range slices.Sorted(maps.Keys(all)) {
			if !filled[field] {
				t.Errorf("no record fills %s in a state of projection %s: give it a handler, or records of its own in projector/tables/testdata/work.ndjson", field, table.Name())
			}
		}
	}
}

// fieldsOf collects the fields of a type and of all it is made of, as "package.Type.Field".
func fieldsOf(typ reflect.Type, all map[string]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fieldsOf(typ.Elem(), all)
	case reflect.Struct:
		if !isOurs(typ) {
			return
		}
		for i := range typ.NumField() {
			all[fieldName(typ, i)] = true
			fieldsOf(typ.Field(i).Type, all)
		}
	}
}

// filledFields collects the fields that have another value than their zero value, named as [fieldsOf] names them.
func filledFields(v reflect.Value, filled map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			filledFields(v.Elem(), filled)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			filledFields(v.MapIndex(key), filled)
		}
	case reflect.Slice:
		for i := range v.Len() {
			filledFields(v.Index(i), filled)
		}
	case reflect.Struct:
		if !isOurs(v.Type()) {
			return
		}
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				filled[fieldName(v.Type(), i)] = true
			}
			filledFields(v.Field(i), filled)
		}
	}
}

func isOurs(typ reflect.Type) bool { return strings.HasPrefix(typ.PkgPath(), "hookline/") }

func fieldName(typ reflect.Type, i int) string { return typ.String() + "." + typ.Field(i).Name }

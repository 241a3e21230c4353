package projector

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Diff is one difference between what the log says and what a bucket holds.
type Diff struct {
	Projection string `json:"projection" jsonschema_description:"name of the projection"`
	Bucket     string `json:"bucket,omitempty" jsonschema_description:"the bucket that holds the cell; absent between two points of the log"`
	Key        string `json:"key" jsonschema_description:"key of the cell"`
	Field      string `json:"field" jsonschema_description:"path of the field inside of the state; empty when the whole cell is missing or too many"`
	Want       string `json:"want" jsonschema_description:"the value by the log: JSON text, cut at 200 bytes, or (absent)"`
	Got        string `json:"got" jsonschema_description:"the value in the bucket, in the same form"`
}

// Explain breaks the difference of two cells, nil where there is none, down to fields; identical JSON in another order
// of keys is no difference.
func Explain(d Diff, want, got []byte) []Diff {
	var wantValue, gotValue any
	isJSON := json.Unmarshal(want, &wantValue) == nil && json.Unmarshal(got, &gotValue) == nil
	if !isJSON { // one of the cells is missing, or broken
		d.Want, d.Got = shown(want), shown(got)
		return []Diff{d}
	}
	return diffFields(d, wantValue, gotValue)
}

// maxShown is how many bytes of a value a [Diff] has.
const maxShown = 200

func shown(value []byte) string {
	if value == nil {
		return "(absent)"
	}
	if len(value) > maxShown {
		return string(value[:maxShown]) + "…"
	}
	return string(value)
}

// diffFields compares two decoded JSON values and returns one Diff for each field that differs.
func diffFields(d Diff, want, got any) []Diff {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	wantMap, wantIsMap := want.(map[string]any)
	gotMap, gotIsMap := got.(map[string]any)
	if !wantIsMap || !gotIsMap {
		d.Want, d.Got = shownJSON(want), shownJSON(got)
		return []Diff{d}
	}

	var out []Diff
	for _, name := range keysOf(wantMap, gotMap) {
		member := d
		member.Field = strings.TrimPrefix(d.Field+"."+name, ".")
		w, wanted := wantMap[name]
		g, there := gotMap[name]

		switch {
		case !wanted:
			member.Want, member.Got = "(absent)", shownJSON(g)
			out = append(out, member)
		case !there:
			member.Want, member.Got = shownJSON(w), "(absent)"
			out = append(out, member)
		default:
			out = append(out, diffFields(member, w, g)...)
		}
	}
	return out
}

func shownJSON(value any) string {
	b, _ := json.Marshal(value) // it was decoded from JSON
	return shown(b)
}

// keysOf returns the sorted union of the keys.
func keysOf[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

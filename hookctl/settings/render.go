package settings

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// A member, an object and an array are what we write, in order; leaves are string and float64.
type (
	member struct {
		name  string
		value any
	}
	object []member
	array  []any
)

func texts(list []string) array {
	out := make(array, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// plain returns the object as decode would from its text.
func (o object) plain() any {
	var v any
	_ = json.Unmarshal([]byte(style{}.render(o, level{})), &v) // what render writes is valid
	return v
}

// render writes a value whose first sign stands on a line of that level.
func (s style) render(v any, lv level) string {
	inner := level{lv.multi, lv.indent + s.unit}
	switch t := v.(type) {
	case object:
		var parts []string
		for _, m := range t {
			parts = append(parts, s.member(m, inner))
		}
		return s.wrap("{", parts, "}", lv, inner)
	case array:
		var parts []string
		for _, x := range t {
			parts = append(parts, s.render(x, inner))
		}
		return s.wrap("[", parts, "]", lv, inner)
	case float64:
		return string(hujson.Float(t))
	default:
		return string(hujson.String(t.(string)))
	}
}

func (s style) member(m member, lv level) string {
	return string(hujson.String(m.name)) + ":" + s.space + s.render(m.value, lv)
}

func (s style) wrap(open string, parts []string, end string, lv, inner level) string {
	if len(parts) == 0 {
		return open + end
	}
	if !lv.multi {
		return open + strings.Join(parts, ","+s.space) + end
	}
	line := s.nl + inner.indent
	return open + line + strings.Join(parts, ","+line) + s.nl + lv.indent + end
}

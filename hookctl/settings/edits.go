package settings

import (
	"bytes"
	"slices"
)

// edits are replacements in one text, none of which overlaps another. At one offset they are
// done in the order they were added.
type edits []edit

type edit struct {
	from, to int
	text     string
}

func (e *edits) replace(from, to int, text string) {
	if from < to || text != "" {
		*e = append(*e, edit{from, to, text})
	}
}

func (e edits) apply(body []byte) []byte {
	slices.SortStableFunc(e, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, x := range e {
		out.Write(body[at:x.from])
		out.WriteString(x.text)
		at = x.to
	}
	out.Write(body[at:])
	return out.Bytes()
}

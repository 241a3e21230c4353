package gates

import (
	_ "embed" // the schema and the starter file
	"encoding/json"
	"slices"
	"sync"

	"github.com/invopop/jsonschema"
)

//go:embed starter.yaml
var starter []byte

//go:embed schema.json
var schema []byte

// Starter is a commented .claude/requirements.yaml that loads without problems: one gate is on, the rest are there
// to be switched on.
func Starter() []byte { return slices.Clone(starter) }

// Schema is the JSON Schema (2020-12) of a file, for editors. The framework's keys that nothing here acts on are
// allowed. The loader is laxer: it takes what is well formed.
func Schema() []byte { return slices.Clone(schema) }

// notActedOn is the description of a key of the framework that is known and has no effect.
const notActedOn = "known, and not acted on"

// document is the schema, decoded when the first file is read.
var document = sync.OnceValue(func() *jsonschema.Schema {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		panic(err) // the file is embedded, and a test has read it
	}
	return &s
})

// mapping is the schema of the mappings that a value may be or hold: a list's items, one of several forms.
func mapping(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Items != nil {
		s = s.Items
	}
	for _, form := range s.OneOf {
		if form.Properties != nil {
			return form
		}
	}
	return s
}

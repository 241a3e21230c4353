// Package yaml reads YAML that anybody may have written: a file of a cloned repository is read by the daemon that serves
// all sessions. What the parser would need seconds or gigabytes for is refused before it sees it.
package yaml

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxFile bounds a configuration file in bytes; a large real one has 20 KiB.
const MaxFile = 256 << 10

// The bounds of what is parsed. The parser's time grows with the square of each: at the bound it is below a second.
const (
	maxDepth  = 64
	maxTokens = 20_000 // a large real file has 4,000
	maxSigns  = 128    // of anchors, aliases, tags and dashes in one line
	maxRule   = 512    // the longest line of dashes, as people draw them in comments
)

// Error is what is wrong with a file, and where.
type Error struct {
	Line, Column int // from 1; 0 when the whole file is meant
	Message      string
}

func (e *Error) Error() string { return e.Message }

// Parse gives the tree of a file. Every error is an [*Error], also the parser's own panics.
func Parse(data []byte, mode ...parser.Option) (tree *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, &Error{Message: fmt.Sprint("the YAML parser gave up: ", p)}
		}
	}()
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // Windows editors begin a file with it
	if err := checkBytes(data); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(string(data))
	if err := checkTokens(tokens); err != nil {
		return nil, err
	}
	tree, err = parser.Parse(tokens, 0, mode...)
	if err != nil {
		return nil, placed(err)
	}
	return tree, nil
}

func placed(err error) error {
	e := &Error{Message: err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		e.Message = at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}

// checkBytes refuses what the lexer needs seconds for.
func checkBytes(data []byte) error {
	if len(data) > MaxFile {
		return &Error{Message: fmt.Sprintf("larger than %d bytes", MaxFile)}
	}
	depth, line, dashes := 0, 1, 0
	for _, b := range data {
		switch b {
		case '\n':
			line, dashes = line+1, 0
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '-', '?', '"', '\'', '!':
			dashes++
		case ' ':
		default:
			dashes = 0
		}
		if depth > maxDepth || dashes > 2*maxDepth && b != '-' || dashes > maxRule {
			return &Error{Line: line, Column: 1, Message: fmt.Sprintf("nested more than %d deep", maxDepth)}
		}
	}
	return nil
}

// checkTokens refuses what the parser needs seconds for.
func checkTokens(tokens token.Tokens) error {
	line, signs := 0, 0
	for i, t := range tokens {
		if t.Position.Line != line {
			line, signs = t.Position.Line, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.SequenceEntryType, token.MappingKeyType:
			signs++
		}
		if signs > maxSigns {
			return &Error{Line: line, Column: 1, Message: fmt.Sprintf("more than %d anchors, aliases, tags and dashes in one line", maxSigns)}
		}
		if i >= maxTokens {
			return &Error{Line: line, Column: 1, Message: fmt.Sprintf("more than %d words and signs", maxTokens)}
		}
	}
	return nil
}

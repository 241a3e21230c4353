package gates

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"hookline/hookctl/yaml"
)

// place is where something is written, from 1.
type place struct {
	file         string
	line, column int
}

// node is a YAML value with its place. kind has Python's name, which the framework's messages have: NoneType, bool, int,
// float, str, list, dict.
type node struct {
	at     place
	kind   string
	text   string // of a scalar, as written (a string: its value)
	number float64
	truth  bool
	items  []*node
	keys   []string
	fields map[string]*node
	keyAt  map[string]place
	size   int // values in it, aliases counted each time
}

func newMapping(at place) *node {
	return &node{at: at, kind: "dict", fields: map[string]*node{}, keyAt: map[string]place{}, size: 1}
}

func (n *node) set(key string, at place, value *node) {
	if _, ok := n.fields[key]; !ok {
		n.keys = append(n.keys, key)
	}
	n.fields[key], n.keyAt[key] = value, at
}

// get returns a mapping's value; nil without one.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

func (n *node) truthOf(key string, otherwise bool) bool {
	v := n.get(key)
	if v == nil {
		return otherwise
	}
	return v.truth
}

func (n *node) textOf(key, otherwise string) string {
	v := n.get(key)
	if v == nil {
		return otherwise
	}
	return v.text
}

func (n *node) numberOf(key string, otherwise float64) float64 {
	v := n.get(key)
	if v == nil {
		return otherwise
	}
	return v.number
}

// maxSeconds is a century: what is above would overflow a time.Duration.
const maxSeconds = 100 * 365 * 24 * 3600

func (n *node) secondsOf(key string, otherwise time.Duration) time.Duration {
	return time.Duration(min(n.numberOf(key, otherwise.Seconds()), maxSeconds) * float64(time.Second))
}

func (n *node) textsOf(key string, otherwise ...string) []string {
	v := n.get(key)
	if v == nil {
		return otherwise
	}
	list := []string{}
	for _, item := range v.items {
		list = append(list, item.text)
	}
	return list
}

// merge lays over on base: mappings key by key, everything else whole. Neither is changed.
func merge(base, over *node) *node {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	case base.kind != "dict" || over.kind != "dict":
		return over
	}
	out := newMapping(over.at)
	for _, key := range base.keys {
		out.set(key, base.keyAt[key], base.fields[key])
	}
	for _, key := range over.keys {
		out.set(key, over.keyAt[key], merge(base.fields[key], over.fields[key]))
	}
	return out
}

// maxNodes bounds what a file is after its aliases are expanded.
const maxNodes = 50_000

// reader turns goccy's tree into nodes.
type reader struct {
	file    string
	skipped int // lines of the file before what is read
	anchors map[string]*node
	total   int
}

// fault is an error at a place.
type fault struct {
	at      place
	message string
}

func (f *fault) Error() string { return f.message }

// parse reads one YAML document that begins after so many lines of a file. Of a key that stands twice the last one
// counts.
func parse(file string, skipped int, data []byte) (*node, error) {
	r := &reader{file: file, skipped: skipped, anchors: map[string]*node{}}
	tree, err := yaml.Parse(data, parser.AllowDuplicateMapKey())
	var wrong *yaml.Error
	if errors.As(err, &wrong) && wrong.Line > 0 {
		return nil, &fault{place{file, wrong.Line + skipped, wrong.Column}, wrong.Message}
	}
	if err != nil {
		return nil, &fault{place{file: file}, err.Error()}
	}
	var body *node
	for _, doc := range tree.Docs {
		switch doc.Body.(type) {
		case nil, *ast.CommentGroupNode:
			continue
		}
		if body != nil {
			return nil, &fault{r.place(doc.Body), "a second YAML document"}
		}
		if body, err = r.value(doc.Body); err != nil {
			return nil, err
		}
	}
	return body, nil
}

func (r *reader) place(n ast.Node) place {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return place{r.file, t.Position.Line + r.skipped, t.Position.Column}
	}
	return place{file: r.file}
}

func (r *reader) value(n ast.Node) (*node, error) {
	v, err := r.bare(n)
	if err != nil {
		return nil, err
	}
	if r.total += v.size; r.total > maxNodes {
		return nil, &fault{r.place(n), fmt.Sprintf("more than %d values", maxNodes)}
	}
	return v, nil
}

// bare is the value without the count.
func (r *reader) bare(n ast.Node) (*node, error) {
	switch n := n.(type) {
	case nil, *ast.CommentGroupNode:
		return &node{at: place{file: r.file}, kind: "NoneType", size: 1}, nil
	case *ast.MappingNode:
		return r.mapping(n, n.Values)
	case *ast.MappingValueNode:
		return r.mapping(n, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		out := &node{at: r.place(n), kind: "list", size: 1}
		for _, item := range n.Values {
			v, err := r.value(item)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, v)
			out.size += v.size
		}
		return out, nil
	case *ast.AnchorNode:
		v, err := r.bare(n.Value)
		if err == nil {
			r.anchors[n.Name.GetToken().Value] = v
		}
		return v, err
	case *ast.AliasNode:
		if v := r.anchors[n.Value.GetToken().Value]; v != nil {
			return v, nil
		}
		return nil, &fault{r.place(n), fmt.Sprintf("there is no anchor &%s before", n.Value.GetToken().Value)}
	case *ast.TagNode:
		return r.bare(n.Value)
	}
	return r.scalar(n), nil
}

func (r *reader) mapping(n ast.Node, pairs []*ast.MappingValueNode) (*node, error) {
	out := newMapping(r.place(n))
	if len(pairs) > 0 {
		out.at = r.place(pairs[0].Key)
	}
	for _, pair := range pairs {
		v, err := r.value(pair.Value)
		if err != nil {
			return nil, err
		}
		out.size += v.size
		if pair.Key.IsMergeKey() {
			out.inherit(v)
			continue
		}
		out.set(pair.Key.GetToken().Value, r.place(pair.Key), v)
	}
	return out, nil
}

// inherit takes the keys of YAML's merge key, `<<: *anchor`, that are not there.
func (n *node) inherit(from *node) {
	for _, item := range from.items {
		n.inherit(item)
	}
	for _, key := range from.keys {
		if !slices.Contains(n.keys, key) {
			n.set(key, n.at, from.fields[key])
		}
	}
}

// truths are the words of YAML 1.1, which the framework reads, that YAML 1.2 takes for text.
var truths = map[string]bool{"yes": true, "on": true, "true": true, "no": false, "off": false, "false": false}

func (r *reader) scalar(n ast.Node) *node {
	out := &node{at: r.place(n), kind: "str", size: 1}
	if t := n.GetToken(); t != nil {
		out.text = t.Value
	}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = "NoneType"
	case *ast.StringNode:
		out.text = n.Value
		truth, ok := truths[strings.ToLower(n.Value)]
		if ok && n.Token != nil && n.Token.Type == token.StringType { // no quotes
			out.kind, out.truth = "bool", truth
		}
	case *ast.LiteralNode:
		out.text = n.Value.Value
	case *ast.BoolNode:
		out.kind, out.truth = "bool", n.Value
	case *ast.IntegerNode:
		out.kind = "int"
		switch v := n.Value.(type) {
		case int64:
			out.number = float64(v)
		case uint64:
			out.number = float64(v)
		}
	case *ast.FloatNode:
		out.kind, out.number = "float", n.Value
	}
	return out
}

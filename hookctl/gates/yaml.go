package gates

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"hookline/hookctl/yaml"
)

// maxNodes bounds what a file is after its aliases are expanded.
const maxNodes = 50_000

// reader turns goccy's tree into nodes.
type reader struct {
	file    string
	anchors map[string]*node
	total   int
	warn    func(at place, message string)
}

// fault is an error at a place.
type fault struct {
	at      place
	message string
}

func (f *fault) Error() string { return f.message }

// parse reads one YAML document.
func parse(file string, data []byte, warn func(place, string)) (*node, error) {
	tree, err := yaml.Parse(data, parser.AllowDuplicateMapKey())
	var wrong *yaml.Error
	if errors.As(err, &wrong) {
		return nil, &fault{place{file, wrong.Line, wrong.Column}, wrong.Message}
	}
	if err != nil {
		return nil, err
	}
	r := &reader{file: file, anchors: map[string]*node{}, warn: warn}
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
		return place{r.file, t.Position.Line, t.Position.Column}
	}
	return place{file: r.file}
}

func (r *reader) value(n ast.Node) (*node, error) {
	v, err := r.bare(n)
	if err != nil {
		return nil, err
	}
	if r.total += max(v.size, 1); r.total > maxNodes {
		return nil, &fault{r.place(n), fmt.Sprintf("more than %d values", maxNodes)}
	}
	return v, nil
}

// bare is the value without the count.
func (r *reader) bare(n ast.Node) (*node, error) {
	switch n := n.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		out := &node{at: place{file: r.file}, kind: "NoneType", size: 1}
		if null, ok := n.(*ast.NullNode); ok {
			out.at = r.place(null)
		}
		return out, nil
	case *ast.MappingNode:
		return r.mapping(n, n.Values)
	case *ast.MappingValueNode:
		return r.mapping(n, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		return r.sequence(n)
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

func (r *reader) sequence(n *ast.SequenceNode) (*node, error) {
	out := &node{at: r.place(n), kind: "list", size: 1}
	for _, item := range n.Values {
		v, err := r.value(item)
		if err != nil {
			return nil, err
		}
		out.items, out.size = append(out.items, v), out.size+v.size
	}
	return out, nil
}

func (r *reader) mapping(n ast.Node, pairs []*ast.MappingValueNode) (*node, error) {
	out := newMapping(r.place(n))
	if len(pairs) > 0 {
		out.at = r.place(pairs[0].Key)
	}
	out.size = 1
	for _, pair := range pairs {
		v, err := r.value(pair.Value)
		if err != nil {
			return nil, err
		}
		out.size += v.size
		at, key := r.place(pair.Key), pair.Key.GetToken().Value
		if pair.Key.IsMergeKey() {
			out.inherit(v)
			continue
		}
		if old, ok := out.keyAt[key]; ok && old.line > 0 && r.warn != nil {
			r.warn(at, fmt.Sprintf("key %q is already in line %d; the last one counts", key, old.line))
		}
		out.set(key, at, v)
	}
	return out, nil
}

// truths are the words of YAML 1.1, which the framework reads, that YAML 1.2 takes for text.
var truths = map[string]bool{"yes": true, "on": true, "true": true, "no": false, "off": false, "false": false}

func (r *reader) scalar(n ast.Node) *node {
	out := &node{at: r.place(n), kind: "str", size: 1}
	switch n := n.(type) {
	case *ast.StringNode:
		out.text = n.Value
		plain := n.Token != nil && n.Token.Type == token.StringType
		if truth, ok := truths[strings.ToLower(n.Value)]; ok && plain {
			out.kind, out.truth = "bool", truth
		}
	case *ast.LiteralNode:
		out.text = n.Value.Value
	case *ast.BoolNode:
		out.kind, out.truth, out.text = "bool", n.Value, n.GetToken().Value
	case *ast.IntegerNode:
		out.kind, out.text = "int", n.GetToken().Value
		switch v := n.Value.(type) {
		case int64:
			out.number = float64(v)
		case uint64:
			out.number = float64(v)
		}
	case *ast.FloatNode:
		out.kind, out.number, out.text = "float", n.Value, n.GetToken().Value
	default:
		if t := n.GetToken(); t != nil {
			out.text = t.Value
		}
	}
	return out
}

package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"hookline/hookctl/safeopen"
	"hookline/hookctl/yaml"
)

// UserFile is the user's file; "" without a home.
func UserFile(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG standard ignores relative ones
		if getenv("HOME") == "" {
			return ""
		}
		dir = filepath.Join(getenv("HOME"), ".config")
	}
	return filepath.Join(dir, "hookline", "config.yaml")
}

// files is the cascade in the order of rising weight.
func files(o Options) []File {
	var list []File
	if user := UserFile(o.Getenv); user != "" {
		list = append(list, File{Scope: "user", Path: user})
	}
	if o.Dir != "" {
		list = append(list, File{Scope: "project", Path: filepath.Join(o.Dir, ".claude", "hookline.yaml")},
			File{Scope: "local", Path: filepath.Join(o.Dir, ".claude", "hookline.local.yaml")})
	}
	return list
}

// Paths are the files that Load reads, whether they exist or not.
func Paths(o Options) []string {
	var list []string
	for _, f := range files(o) {
		list = append(list, f.Path)
	}
	return list
}

// read takes one file's values in force.
func (c *Config) read(f File) {
	kind := safeopen.Foreign // one of a project may be anybody's
	if f.Scope == "user" {
		kind = safeopen.User
	}
	data, err := safeopen.ReadFile(kind, f.Path, yaml.MaxFile)
	f.Exists = err == nil
	c.Files = append(c.Files, f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		var path *fs.PathError
		if errors.As(err, &path) { // the path is named by the problem
			err = path.Err
		}
		c.Problems = append(c.Problems, Problem{File: f.Path, Message: err.Error(), Hint: "the file is left out; make it readable or remove it"})
		return
	}
	tree, err := yaml.Parse(data)
	if err != nil {
		p := Problem{File: f.Path, Message: err.Error(), Hint: "the file is left out until it is valid YAML"}
		var wrong *yaml.Error
		if errors.As(err, &wrong) {
			p.Line, p.Column = wrong.Line, wrong.Column
		}
		c.Problems = append(c.Problems, p)
		return
	}
	for _, doc := range tree.Docs {
		c.document(f, doc.Body)
	}
}

// document takes the keys of one YAML document; an empty one has none.
func (c *Config) document(f File, body ast.Node) {
	switch n := body.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
	case *ast.MappingNode:
		for _, pair := range n.Values {
			c.pair(f, pair)
		}
	case *ast.MappingValueNode:
		c.pair(f, n)
	default:
		at := body.GetToken().Position
		c.Problems = append(c.Problems, Problem{File: f.Path, Line: at.Line, Column: at.Column,
			Message: "the file is no mapping of keys to values", Hint: "write one `key: value` a line"})
	}
}

func (c *Config) pair(f File, pair *ast.MappingValueNode) {
	at := pair.Key.GetToken().Position
	name := pair.Key.GetToken().Value
	known := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if known < 0 {
		p := unknown(name)
		p.File, p.Line, p.Column = f.Path, at.Line, at.Column
		c.Problems = append(c.Problems, p)
		return
	}
	before := len(c.Problems)
	c.set(keys[known], rawOf(pair.Value), Origin{From: f.Scope, File: f.Path, Line: at.Line})
	if v := pair.Value.GetToken(); len(c.Problems) > before && c.Problems[before].Column == 0 && v != nil {
		c.Problems[before].Line, c.Problems[before].Column = v.Position.Line, v.Position.Column
	}
}

// rawOf is a YAML value as the checks want it. Numbers and the like keep their text.
func rawOf(n ast.Node) raw {
	switch n := n.(type) {
	case *ast.StringNode:
		return raw{text: n.Value}
	case *ast.LiteralNode:
		return raw{text: n.Value.Value}
	case *ast.SequenceNode:
		list := make([]item, 0, len(n.Values))
		for _, v := range n.Values {
			it := item{text: rawOf(v).text}
			if t := v.GetToken(); t != nil {
				it.line, it.column = t.Position.Line, t.Position.Column
			}
			list = append(list, it)
		}
		return raw{list: list}
	case *ast.MappingNode, *ast.MappingValueNode:
		return raw{text: "a mapping"}
	}
	return raw{text: n.GetToken().Value}
}

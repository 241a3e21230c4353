package daemon

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// parts are the parts of the package from the lowest one up, by what the names of their files begin with. What is in no part
// composes them.
var parts = []string{"core", "intake", "endpoint", "keeper"}

// mostMethods bounds the methods of a type.
const mostMethods = 40

// partOf returns the place of a file's part among the parts, their number for the composition.
func partOf(file string) int {
	for place, part := range parts {
		if strings.HasPrefix(filepath.Base(file), part) {
			return place
		}
	}
	return len(parts)
}

// noImports checks types without the packages that are imported: what is of this package is known all the same.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not looked at") }

// A part uses nothing that is declared in a part above it, and no type grows until nobody finds a place in it.
func TestPartsKnowNothingAbove(t *testing.T) {
	pkg := expect.Value(build.ImportDir(".", 0))(t)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		files = append(files, expect.Value(parser.ParseFile(fset, name, nil, parser.SkipObjectResolution))(t))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	checked, _ := config.Check("daemon", fset, files, info) // an error: the imports are unknown

	arrows := 0
	for use, object := range info.Uses {
		if object.Pkg() != checked || !object.Pos().IsValid() {
			continue
		}
		at, of := fset.Position(use.Pos()), fset.Position(object.Pos())
		if at.Filename != of.Filename {
			arrows++
		}
		if partOf(of.Filename) > partOf(at.Filename) {
			t.Errorf("%s uses %s of %s, a part above it", at, object.Name(), of.Filename)
		}
	}
	if arrows < 100 {
		t.Errorf("%d uses between files: they were not found", arrows)
	}

	for _, name := range checked.Scope().Names() {
		named, ok := checked.Scope().Lookup(name).Type().(*types.Named)
		if ok && named.NumMethods() > mostMethods {
			t.Errorf("%s has %d methods: two things live there", name, named.NumMethods())
		}
	}
}

// Package floors holds the architecture to its word: the table in docs/architecture.md against what
// the packages import and link, and the catalog of events against its golden records and its page.
package floors

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

const (
	module = "hookline"
	root   = "../.."
)

// clock are the functions of time that read the clock or wait for it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

// pkg is what `go list` says about a package.
type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	Imports    []string // without those of its tests
	Deps       []string // all that it links
}

// list gives all packages of the module and all they link, by import path.
func list(t *testing.T, goos string) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,Imports,Deps", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

// ours is the package's path inside the module, false for other modules' packages.
func ours(importPath string) (string, bool) {
	return strings.CutPrefix(importPath, module+"/")
}

// touch stats every source file, so that the go command runs the tests anew when one changed: it
// does not know what `go list` read.
func touch(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // went while we looked
				return nil
			}
			return err
		}
		if d.IsDir() && name != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") || d.Name() == "go.mod" {
			_, _ = os.Stat(name)
		}
		return nil
	})
	expect.OK(t, err)
}

func TestFloors(t *testing.T) {
	touch(t)
	rules := readTable(t)
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			all := list(t, goos)
			for importPath, p := range all {
				name, own := ours(importPath)
				if !own {
					continue
				}
				r := ruleOf(rules, name)
				if r == nil {
					t.Errorf("%s has no line in the table of docs/architecture.md", name)
					continue
				}
				checkImports(t, rules, r, p, all)
				checkLinks(t, r, p, all, goos)
			}
		})
	}
}

// checkImports holds a package's own import lines to the rule.
func checkImports(t *testing.T, rules []rule, r *rule, p pkg, all map[string]pkg) {
	t.Helper()
	for _, imported := range p.Imports {
		if name, own := ours(imported); own && !r.mayImport(rules, name) {
			t.Errorf("%s (floor %s) imports %s; it may import %q", p.ImportPath, r.floor, name, r.ours)
		}
		for _, b := range r.imports {
			if b.is(imported, all[imported].Standard) {
				t.Errorf("%s (floor %s) imports %s", p.ImportPath, r.floor, imported)
			}
		}
	}
	if slices.ContainsFunc(r.imports, func(b ban) bool { return b.name == "clock" }) {
		for _, file := range p.GoFiles {
			checkClock(t, filepath.Join(p.Dir, file))
		}
	}
}

// checkLinks holds everything that ends up in a binary with the package to the rule.
func checkLinks(t *testing.T, r *rule, p pkg, all map[string]pkg, goos string) {
	t.Helper()
	for _, dep := range p.Deps {
		for _, b := range r.links {
			if b.except != goos && b.is(dep, all[dep].Standard) {
				t.Errorf("%s (floor %s) links %s", p.ImportPath, r.floor, dep)
			}
		}
	}
}

// checkClock finds calls of the clock, under whatever name time was imported.
func checkClock(t *testing.T, file string) {
	t.Helper()
	fset := token.NewFileSet()
	parsed := expect.Value(parser.ParseFile(fset, file, nil, parser.SkipObjectResolution))(t)
	name := ""
	for _, spec := range parsed.Imports {
		if spec.Path.Value == `"time"` {
			name = "time"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	if name == "" {
		return
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && slices.Contains(clock, s.Sel.Name) {
				t.Errorf("%s: time.%s; pass the time in", fset.Position(n.Pos()), s.Sel.Name)
			}
		}
		return true
	})
}

// TestTableIsUsed fails for a line whose package went, and so keeps the table from growing old.
func TestTableIsUsed(t *testing.T) {
	all := list(t, "linux")
	rules := readTable(t)
	used := map[*rule]bool{}
	for importPath := range all {
		if name, own := ours(importPath); own {
			used[ruleOf(rules, name)] = true
		}
	}
	for i := range rules {
		if !used[&rules[i]] {
			t.Errorf("docs/architecture.md has a line for %s, but there is no such package", rules[i].pkg)
		}
	}
}

// TestCatalogIsDocumented: every kind of event has a golden record and a line in docs/events.md.
func TestCatalogIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../events.md")
	if err != nil {
		t.Errorf("%v (make docs)", err)
	}
	for _, k := range events.Catalog() {
		golden := filepath.Join(root, "events", "testdata", "golden", k.Type+".json")
		if _, err := os.Stat(golden); err != nil {
			t.Errorf("%s has no golden record: %v", k.Type, err)
		}
		if err == nil && !strings.Contains(string(page), "`"+k.Type+"`") {
			t.Errorf("docs/events.md has no line for %s", k.Type)
		}
	}
}

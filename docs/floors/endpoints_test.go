package floors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hookline/expect"
)

// declarers are the packages where paths of the daemon's endpoints may stand: api has one line for each, and wire is the
// thin client, which cannot link it.
var declarers = []string{"hookctl/api", "hookctl/wire"}

// foreignPaths look like paths of the daemon and are those of others.
var foreignPaths = map[string]string{
	"/v1/traces": "of a receiver of OpenTelemetry",
}

// TestEndpointsAreDeclaredOnce: what asks the daemon or answers for it uses the endpoint in package api, with its types,
// and spells no path.
func TestEndpointsAreDeclaredOnce(t *testing.T) {
	touch(t)
	seen := map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for importPath, p := range list(t, goos) {
			name, own := ours(importPath)
			if !own || slices.Contains(declarers, name) {
				continue
			}
			for _, file := range p.GoFiles {
				path := filepath.Join(p.Dir, file)
				if !seen[path] {
					seen[path] = true
					checkPaths(t, path)
				}
			}
		}
	}
}

// checkPaths finds paths of the daemon in a file's texts.
func checkPaths(t *testing.T, file string) {
	t.Helper()
	fset := token.NewFileSet()
	parsed := expect.Value(parser.ParseFile(fset, file, nil, parser.SkipObjectResolution))(t)
	ast.Inspect(parsed, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text := expect.Value(strconv.Unquote(literal.Value))(t)
		if strings.HasPrefix(text, "/v1/") && foreignPaths[text] == "" {
			t.Errorf("%s: %s: call the endpoint of package hookctl/api instead, as in api.Retract.Call(ctx, c, api.RetractRequest{…})",
				fset.Position(literal.Pos()), literal.Value)
		}
		return true
	})
}

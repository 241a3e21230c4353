package floors

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hookline/expect"
)

// TestSizes compares the tokens of each package, without comments and tests, with its budget in the
// table "Sizes" of docs/architecture.md. A projection without a line of its own has that of `projector/*`.
func TestSizes(t *testing.T) {
	budgets := readBudgets(t)
	sizes := packageSizes(t)
	total := 0

	for pkg, size := range sizes {
		total += size
		budget, listed := budgets[pkg]
		if !listed && path.Dir(pkg) == "projector" {
			budget, listed = budgets["projector/*"]
		}
		if !listed {
			t.Errorf("%s has no line in the table Sizes (it has %d tokens)", pkg, size)
			continue
		}
		if size > budget {
			t.Errorf("%s has %d tokens, more than its budget of %d: cut, or raise the budget and say why in the commit", pkg, size, budget)
		}
	}

	for pkg := range budgets {
		if _, there := sizes[pkg]; !there && pkg != "all" && pkg != "projector/*" {
			t.Errorf("the table Sizes names %s, which is no package", pkg)
		}
	}

	if total > budgets["all"] {
		t.Errorf("the whole tree has %d tokens, more than its budget of %d", total, budgets["all"])
	}
}

var budgetRow = regexp.MustCompile("^\\| `?([a-z][a-z0-9/*]*)`? \\| ([0-9,]+) \\|$")

// readBudgets returns the rows of the table "Sizes": tokens at most, by package.
func readBudgets(t *testing.T) map[string]int {
	t.Helper()
	text := expect.Value(os.ReadFile("../architecture.md"))(t)

	_, section, found := strings.Cut(string(text), "\n## Sizes\n")
	if !found {
		t.Fatal("docs/architecture.md has no section Sizes")
	}
	section, _, _ = strings.Cut(section, "\n## ")

	budgets := map[string]int{}
	for line := range strings.Lines(section) {
		m := budgetRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		budgets[m[1]] = n
	}
	if budgets["all"] == 0 {
		t.Fatal("the table Sizes has no line for all")
	}
	return budgets
}

// packageSizes counts the tokens of every package with product code, by its folder.
func packageSizes(t *testing.T) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}

		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		n, err := countTokens(file)
		if err != nil {
			return err
		}
		sizes[filepath.ToSlash(rel)] += n
		return nil
	})
	expect.OK(t, err)
	return sizes
}

// countTokens counts the Go tokens of a file without comments and automatic semicolons.
func countTokens(file string) (int, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}

	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile(file, -1, len(src)), src, nil, 0)

	n := 0
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return n, nil
		case tok == token.SEMICOLON && lit == "\n":
		default:
			n++
		}
	}
}

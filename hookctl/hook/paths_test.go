package hook

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

func TestPathsShareTheirFolders(t *testing.T) {
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"a.go"}, "a.go"},
		{[]string{"src/a.go", "README.md", "src/b.go"}, "src/{a.go,b.go}; README.md"},
		{[]string{"packages/app/src/a.ts"}, "packages/app/src/a.ts"},
		{
			[]string{"packages/app/src/a.ts", "packages/app/src/db/b.ts", "packages/app/src/db/c.ts", "packages/web/d.ts"},
			"packages/{app/src/{a.ts,db/{b.ts,c.ts}},web/d.ts}",
		},
		{[]string{"/w/a.go", "/w/b.go", "c.go"}, "/w/{a.go,b.go}; c.go"},
		{[]string{"a/x,y.go", "a/b.go", "a/{c}.go"}, "a/b.go; a/x,y.go; a/{c}.go"},
		{[]string{"a", "a/b"}, "a; a/b"},
		{[]string{"a/b.go", "a/b.go"}, "a/b.go"},
	} {
		expect.Equal(t, byFolder(c.paths), c.want, "paths", strings.Join(c.paths, " "))
	}
}

// Whatever the paths are, a shell's expansion of the line gives all of them.
func TestPathsAreExpandedBack(t *testing.T) {
	part := rapid.StringMatching(`[a-c]{1,2}(\.go)?`)
	rapid.Check(t, func(t *rapid.T) {
		var paths []string
		for range rapid.IntRange(1, 12).Draw(t, "paths") {
			paths = append(paths, strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/"))
		}

		var got []string
		for _, entry := range strings.Split(byFolder(paths), "; ") {
			got = append(got, expanded(entry)...)
		}
		slices.Sort(got)
		slices.Sort(paths)
		paths = slices.Compact(paths)
		if !slices.Equal(got, paths) {
			t.Fatalf("%q is expanded to %q, want %q", byFolder(paths), got, paths)
		}
	})
}

// expanded does what a shell does with braces.
func expanded(text string) []string {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return []string{text}
	}

	depth, from := 0, open+1
	var inner []string
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				inner = append(inner, text[from:i])
				from = i + 1
			}
		case '}':
			depth--
		}
		if depth > 0 {
			continue
		}

		inner = append(inner, text[from:i])
		var list []string
		for _, part := range inner {
			list = append(list, expanded(text[:open]+part+text[i+1:])...)
		}
		return list
	}
	return []string{text}
}

// The bytes of a line are known without writing it.
func TestSizesOfFoldersAreThoseOfTheirText(t *testing.T) {
	part := rapid.StringMatching(`[a-c]{1,2}(\.go|,x)?`)
	rapid.Check(t, func(t *rapid.T) {
		var paths []string
		for range rapid.IntRange(1, 12).Draw(t, "paths") {
			paths = append(paths, strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/"))
		}
		sizes := folderSizes(paths)
		for n := 1; n <= len(paths); n++ {
			if got, want := sizes[n], len(byFolder(paths[:n])); got != want {
				t.Fatalf("the size of %q is %d, want %d", paths[:n], got, want)
			}
		}
	})
}

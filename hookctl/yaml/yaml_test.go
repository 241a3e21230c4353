package yaml

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/parser"
)

// What takes the bare parser seconds or gigabytes is refused, or parsed with little memory.
func TestBombs(t *testing.T) {
	repeat := strings.Repeat
	var distinct strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&distinct, "k%d: 1\n", i)
	}
	for name, text := range map[string]string{
		"brackets": repeat("[", 80_000),
		"braces":   repeat("{a: ", 20_000),
		"tags":     repeat("!a ", 80_000),
		"anchors":  "x: " + repeat("&a ", 20_000) + "1",
		"aliases":  "x: " + repeat("*a ", 80_000),
		"keys":     repeat("a: 1\n", 50_000),
		"distinct": distinct.String(),
		"dashes":   repeat("- ", 80_000),
		"large":    repeat("x", MaxFile+1),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse([]byte(text), parser.AllowDuplicateMapKey())
			runtime.ReadMemStats(&after)
			var wrong *Error
			if !errors.As(err, &wrong) {
				t.Errorf("no error of ours: %v", err)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 300 {
				t.Errorf("%d MB", used)
			}
		})
	}
}

// A byte order mark at the beginning belongs to no key.
func TestByteOrderMark(t *testing.T) {
	tree, err := Parse([]byte("\ufeffcolor: never\n"))
	if err != nil || !strings.HasPrefix(tree.String(), "color:") {
		t.Errorf("%q, %v", tree, err)
	}
}

// A large real file is far from every bound.
func TestLargeRealFile(t *testing.T) {
	var text strings.Builder
	text.WriteString("requirements:\n")
	for i := range 300 {
		fmt.Fprintf(&text, "  r%d:\n    enabled: true\n    trigger_tools: [Edit, Write]\n    message: |\n      Do it, [then] {again}\n", i)
	}
	tree, err := Parse([]byte(text.String()))
	if err != nil || len(tree.Docs) != 1 {
		t.Errorf("%v", err)
	}
}

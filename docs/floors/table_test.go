package floors

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"hookline/expect"
)

// rule is one line of the table in docs/architecture.md for one package.
type rule struct {
	floor    string   // "5 mains" … "0 words", or "tests"
	pkg      string   // relative to the module; may end in "/*"
	ours     []string // packages of the module that it may import
	imports  []ban
	links    []ban
	explicit bool // no wildcard
}

// ban is a name that must not be imported or linked.
type ban struct {
	name   string
	except string // the platform where it may
}

var (
	cellName = regexp.MustCompile("`([^`]+)`(?: \\(not on (\\w+)\\))?")
	rowStart = regexp.MustCompile(`^\| (\d \w+|tests) \|`)
)

// readTable takes the rules from the table whose lines begin with a floor.
func readTable(t *testing.T) []rule {
	t.Helper()
	text := expect.Value(os.ReadFile("../architecture.md"))(t)
	var rules []rule
	for line := range strings.Lines(string(text)) {
		if !rowStart.MatchString(line) {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		expect.EqualNow(t, len(cells), 5, "cells in", line)
		for _, p := range bans(cells[1]) {
			rules = append(rules, rule{floor: strings.TrimSpace(cells[0]), pkg: p.name, ours: names(cells[2]),
				imports: bans(cells[3]), links: bans(cells[4]), explicit: !strings.HasSuffix(p.name, "/*")})
		}
	}
	if len(rules) < 15 {
		t.Fatalf("only %d rules were found", len(rules))
	}
	return rules
}

func bans(cell string) []ban {
	var out []ban
	for _, m := range cellName.FindAllStringSubmatch(cell, -1) {
		out = append(out, ban{name: m[1], except: m[2]})
	}
	return out
}

func names(cell string) []string {
	var out []string
	for _, b := range bans(cell) {
		out = append(out, b.name)
	}
	return out
}

// ruleOf finds the line of a package: its own before a wildcard's.
func ruleOf(rules []rule, pkg string) *rule {
	var wild *rule
	for i := range rules {
		switch r := &rules[i]; {
		case r.pkg == pkg:
			return r
		case !r.explicit && path.Dir(pkg) == strings.TrimSuffix(r.pkg, "/*"):
			wild = r
		}
	}
	return wild
}

// mayImport says whether a package of ours is among those that the rule names.
func (r *rule) mayImport(rules []rule, pkg string) bool {
	other := ruleOf(rules, pkg)
	if other == nil || other.floor == "tests" && r.floor != "tests" {
		return false
	}
	for _, name := range r.ours {
		if name == "events" && strings.HasPrefix(pkg, "events/") {
			return true
		}
		if name == pkg || name == other.pkg || name == "below" && other.floor != "tests" && (r.floor == "tests" || other.floor[0] < r.floor[0]) {
			return true
		}
	}
	return false
}

// is says whether an import path falls under a banned name.
func (b ban) is(importPath string, standard bool) bool {
	under := func(root string) bool { return importPath == root || strings.HasPrefix(importPath, root+"/") }
	switch b.name {
	case "nats":
		return under("github.com/nats-io")
	case "rand":
		return under("math/rand") || under("crypto/rand")
	case "modules":
		return !standard && !under(module) && importPath != "github.com/oklog/ulid/v2"
	case "net", "os":
		return under(b.name)
	}
	return importPath == b.name
}

func TestBans(t *testing.T) {
	for _, c := range []struct {
		ban, path string
		standard  bool
		want      bool
	}{
		{"os", "os/exec", true, true}, {"os", "oslo", true, false}, {"net", "net/http", true, true}, {"net", "net", true, true},
		{"rand", "math/rand/v2", true, true}, {"rand", "math", true, false}, {"nats", "github.com/nats-io/nats.go", false, true},
		{"modules", "github.com/spf13/cobra", false, true}, {"modules", "github.com/oklog/ulid/v2", false, false},
		{"modules", "hookline/events", false, false}, {"modules", "strings", true, false}, {"fmt", "fmt", true, true},
	} {
		expect.Equal(t, (ban{name: c.ban}).is(c.path, c.standard), c.want, c.path, c.ban)
	}
}

package redact

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// gitleaksModule is where the rules come from (MIT), pinned. It is downloaded by the generator and linked nowhere.
const gitleaksModule = "github.com/zricethezav/gitleaks/v8@v8.30.1"

var update = flag.Bool("update", false, "write gitleaks.txt anew from "+gitleaksModule)

// TestGitleaksRules is the generator of gitleaks.txt: `make redaction-rules`.
func TestGitleaksRules(t *testing.T) {
	if !*update {
		t.Skip("only with -update, which downloads a module")
	}
	out := expect.Value(exec.Command("go", "mod", "download", "-json", gitleaksModule).Output())(t)
	var module struct{ Dir string }
	expect.OK(t, json.Unmarshal(out, &module))
	source := expect.Value(os.ReadFile(filepath.Join(module.Dir, "config", "gitleaks.toml")))(t)
	var b strings.Builder
	b.WriteString("# Generated from " + gitleaksModule + " (MIT, Copyright (c) 2019 Zachary Rice) by make redaction-rules. Do not edit.\n")
	for _, r := range tomlRules(string(source)) {
		for _, regex := range strings.Split(r.regex, gitleaksSuffix+"|") {
			r.regex = regex
			if line := r.line(t); line != "" {
				b.WriteString(line + "\n")
			}
		}
	}
	expect.OK(t, os.WriteFile("gitleaks.txt", []byte(b.String()), 0o644))
}

// tomlRule is one [[rules]] table of gitleaks' file.
type tomlRule struct {
	id, regex, entropy string
	words, allows      []string
}

var (
	tomlField = regexp.MustCompile(`(?m)^(\w+) = (?:'''(.*)'''|"(.*)"|(\S+))$`)
	tomlList  = regexp.MustCompile(`(?ms)^(\w+) = \[(.*?)^?\]$`)
	tomlItem  = regexp.MustCompile(`'''(.*?)'''|"(.*?)"`)
)

// tomlRules reads the subset of TOML that the file is written in.
func tomlRules(source string) []tomlRule {
	var rules []tomlRule
	for _, part := range strings.Split(source, "[[rules]]")[1:] {
		body, allow, _ := strings.Cut(part, "[[rules.allowlists]]")
		var r tomlRule
		for _, m := range tomlField.FindAllStringSubmatch(body, -1) {
			switch m[1] {
			case "id":
				r.id = m[3]
			case "regex":
				r.regex = m[2]
			case "entropy":
				r.entropy = m[4]
			}
		}
		for _, m := range tomlList.FindAllStringSubmatch(body, -1) {
			if m[1] == "keywords" {
				r.words = items(m[2])
			}
		}
		if !strings.Contains(allow, "regexTarget") {
			for _, m := range tomlList.FindAllStringSubmatch(allow, -1) {
				if m[1] == "regexes" {
					r.allows = items(m[2])
				}
			}
		}
		rules = append(rules, r)
	}
	return rules
}

func items(list string) []string {
	var all []string
	for _, m := range tomlItem.FindAllStringSubmatch(list, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

// ours are gitleaks' rules that code of ours replaces: names in general, key blocks, files known by their path.
var ours = []string{"generic-api-key", "private-key", "pkcs12-file", "curl-auth-header", "curl-auth-user", "nuget-config-password", "jwt", "openai-api-key", "slack-webhook-url", "sourcegraph-access-token"}

// keywords replace those that occur everywhere.
var keywords = map[string][]string{"kubernetes-secret-yaml": {"kind: secret", "kind:secret", "kind: \"secret", "kind: 'secret"}}

const (
	gitleaksTail   = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
	gitleaksHead   = `[\w.-]{0,50}?`
	gitleaksSuffix = `(?:[\x60'"\s;]|\\[nr]|$)`
)

// line is the rule as a line of ours. What gitleaks asks of the text around a secret is left out: the engine reads
// names, signs and quotes itself, in more notations.
func (r tomlRule) line(t *testing.T) string {
	if r.regex == "" || slices.Contains(ours, r.id) {
		return ""
	}
	form, pattern, words := "around", r.regex, r.words
	if name, value, ok := strings.Cut(strings.Replace(r.regex, "{0,3})(?:=|", "{0,3}(?:=|", 1), gitleaksTail); ok && strings.Contains(name, gitleaksHead) {
		form = "value"
		names, all := strings.CutPrefix(name, "(?i)")
		names = strings.TrimPrefix(strings.TrimPrefix(names, gitleaksHead), "(?i:")
		names = strings.TrimPrefix(names, gitleaksHead)
		words, _ = prefixes(parse(t, names), 12)
		pattern = strings.TrimSuffix(value, gitleaksSuffix)
		if all {
			pattern = "(?i)" + pattern
		} else {
			pattern = strings.TrimSuffix(pattern, ")") // of (?i:
			if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
				pattern += ")"
			}
		}
	} else {
		pattern = strings.Replace(pattern, gitleaksSuffix, `(?:[^0-9A-Za-z]|$)`, 1)
		if begins, _ := prefixes(parse(t, pattern), 12); len(begins) > 0 && len(slices.MinFunc(begins, byLength)) > 1 && !slices.Contains(begins, "https://") && keywords[r.id] == nil {
			form, words = "at", begins
		}
	}
	if own := keywords[r.id]; own != nil {
		words = own
	}
	options := "open"
	if r.entropy != "" {
		options += " entropy=" + r.entropy
	}
	re := parse(t, pattern)
	if re.Op == syntax.OpLiteral {
		pattern += `[\w+/=-]*`
	}
	for i, w := range words {
		words[i] = strings.Trim(strings.ToLower(w), ",")
	}
	slices.Sort(words)
	fields := []string{form, r.id, r.id, options, strings.Join(slices.Compact(words), ","), pattern}
	if r.id == "vault-service-token" {
		r.allows = append(r.allows, `^s\.(?:[A-Z]?[a-z]{2,}[0-9]*){2,}$`) // s.ReadUint16LengthPrefixed
	}
	if len(r.allows) > 0 {
		fields = append(fields, strings.Join(r.allows, "|"))
	}
	return strings.Join(fields, "\t")
}

func byLength(a, b string) int { return len(a) - len(b) }

func parse(t *testing.T, pattern string) *syntax.Regexp {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	return re.Simplify()
}

// prefixes are the texts in lower case, of at most n bytes, one of which begins whatever re matches; exact says
// that they are all of the match. It is empty when they are too many.
func prefixes(re *syntax.Regexp, n int) (all []string, exact bool) {
	switch re.Op {
	case syntax.OpLiteral:
		s := strings.ToLower(string(re.Rune))
		if len(s) > n {
			return []string{s[:n]}, false
		}
		return []string{s}, true
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpBeginText:
		return []string{""}, true
	case syntax.OpCapture:
		return prefixes(re.Sub[0], n)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1] && len(all) <= 3; c++ {
				if s := strings.ToLower(string(c)); !slices.Contains(all, s) {
					all = append(all, s)
				}
			}
		}
		if len(all) <= 3 {
			return all, true
		}
	case syntax.OpQuest:
		rest, exact := prefixes(re.Sub[0], n)
		return append(rest, ""), exact
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			some, whole := prefixes(sub, n)
			all, exact = append(all, some...), exact && whole
		}
		return all, exact
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range re.Sub {
			some, whole := prefixes(sub, n)
			if len(some) == 0 || len(some)*len(all) > 24 {
				return all, false
			}
			var next []string
			for _, a := range all {
				for _, s := range some {
					next = append(next, a+s)
				}
			}
			all = next
			if !whole || len(slices.MaxFunc(all, byLength)) >= n {
				return all, false
			}
		}
		return all, true
	}
	return []string{""}, false
}

package redact

import (
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// carriers are notations in which gitleaks' own rule tests place a secret (utils.GenerateSampleSecrets, MIT), and
// some of ours. {i} is the name, {I} the same in capitals, {s} the secret.
var carriers = []string{
	`{i}Token="{s}"`, `{i}Token = "{s}"`, `{i}Token={s}`, `{i}Token = {s}`, "{\n    \"{i}_token\": \"{s}\"\n}", `{"config.ini": "{I}_TOKEN={s}\nBACKUP_ENABLED=true"}`,
	"<{i}Token>\n    {s}\n</{i}Token>", "{i}_token: {s}", "{i}_token: '{s}'", `{i}_token: "{s}"`, `string {i}Token = "{s}";`, `var {i}Token string = "{s}"`,
	`{i}Token := "{s}"`, "{i}Token := `{s}`", `${i}Token .= "{s}"`, `System.setProperty("{I}_TOKEN", "{s}")`, `  "{i}Token" => "{s}"`, `{i}_TOKEN ::= "{s}"`, `{i}_TOKEN :::= "{s}"`,
	`{i}_TOKEN ?= "{s}"`, "{i}_token: |\n  {s}\n", `<entry name="{i}Token" value="{s}" />`, `https://example.com?{i}Token={s}&fooBar=baz`, `define('{I}_TOKEN', '{s}');`, "ENV {I}_TOKEN {s}",
	`{&quot;{i}_token&quot;: &quot;{s}&quot;}`,
}

// TestGitleaksCorpus: a secret of each of gitleaks' formats, made from its pattern when the test runs, is gone in
// each carrier. The goal is 97 %.
func TestGitleaksCorpus(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	redactor := New()
	total, gone := 0, 0
	missed := map[string]int{}
	for _, r := range parseRules(gitleaksRules) {
		re := expect.Value(syntax.Parse(r.pattern, syntax.Perl))(t)
		name := r.keywords[0]
		if !strings.ContainsFunc(name, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }) && !r.at {
			name = "x"
		}
		secret := strings.TrimFunc(sample(re.Simplify(), random), func(c rune) bool { return strings.ContainsRune(" \t\n;'\"`", c) })
		if len(secret) < 8 || strings.ContainsAny(secret, " \n\"'<>&") {
			continue // patterns of whole lines and files have tests of their own
		}
		for _, carrier := range carriers {
			text := strings.NewReplacer("{i}", strings.Trim(name, "._- :"), "{I}", strings.ToUpper(strings.Trim(name, "._- :")), "{s}", secret).Replace(carrier)
			out, _ := redactor.Text([]byte(text))
			total++
			if strings.Contains(string(out), secret) {
				missed[r.id]++
			} else {
				gone++
			}
		}
	}
	if total < 4000 || gone*100 < total*97 {
		t.Errorf("%d of %d are gone; missed %v", gone, total, missed)
	}
	t.Logf("%d of %d", gone, total)
}

// ownRule is a rule of ours with the form of its line.
type ownRule struct {
	*rule
	form string
}

// ownRules returns the rules of formats.txt.
func ownRules() []ownRule {
	var rules []ownRule
	for line := range strings.Lines(ownFormats) {
		form, _, _ := strings.Cut(line, "\t")
		for _, r := range parseRules(line) {
			rules = append(rules, ownRule{rule: r, form: form})
		}
	}
	return rules
}

// Rules returns how many rules of gitleaks there are, and how many of ours.
func Rules() (theirs, ours int) { return len(parseRules(gitleaksRules)), len(parseRules(ownFormats)) }

// Samples are tokens made from the patterns of our own formats, by the kind that the marker says. What is told by the
// text around it has no sample.
func Samples() iter.Seq2[string, string] {
	return func(yield func(kind, secret string) bool) {
		for _, r := range ownRules() {
			if secret, alone := r.sample(r.random()); alone && !yield(r.kind, secret) {
				return
			}
		}
	}
}

// Unsampled are the kinds of our own rules that have no sample, because what stands around the secret tells it.
func Unsampled() []string {
	var kinds []string
	for _, r := range ownRules() {
		if _, alone := r.sample(r.random()); !alone {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

// TestTokensHaveTheirKeywords: a rule is applied only where one of its keywords stands, so every token that its pattern
// matches must have one.
func TestTokensHaveTheirKeywords(t *testing.T) {
	checked := 0
	for _, r := range ownRules() {
		random := r.random()
		for range 50 {
			secret, alone := r.sample(random)
			if !alone {
				break
			}
			checked++
			if !r.hasKeyword(secret) {
				t.Errorf("the rule %q of formats.txt matches %q, which has none of its keywords %v", r.id, secret, r.keywords)
				break
			}
		}
	}
	if checked == 0 {
		t.Error("no rule was checked")
	}
}

// hasKeyword reports whether a token has a keyword where the rule's form asks for one.
func (r ownRule) hasKeyword(secret string) bool {
	lower := strings.ToLower(secret)
	return slices.ContainsFunc(r.keywords, func(keyword string) bool {
		if r.at {
			return strings.HasPrefix(lower, keyword)
		}
		return strings.Contains(lower, keyword)
	})
}

// random returns the source of a rule's samples. It hangs on nothing but the rule: another one that comes or goes changes
// none of its samples.
func (r ownRule) random() *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.kind + " " + r.pattern)) // a hash cannot fail
	return rand.New(rand.NewPCG(3, h.Sum64()))
}

// sample makes a token of a rule; false where what stands around the token tells it.
func (r ownRule) sample(random *rand.Rand) (secret string, alone bool) {
	re, err := syntax.Parse(r.pattern, syntax.Perl)
	byItself := r.form == "at" || r.form == "around"
	if err != nil || !byItself || re.MaxCap() > 0 {
		return "", false
	}
	return sample(re.Simplify(), random), true
}

// sample makes a text that re matches. Classes give letters and digits where they can.
func sample(re *syntax.Regexp, random *rand.Rand) string {
	var s strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		s.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		var all []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1] && c < 127; c++ {
				if isAlnum(byte(c)) {
					all = append(all, c)
				}
			}
		}
		if len(all) == 0 {
			all = re.Rune[:1]
		}
		s.WriteRune(all[random.IntN(len(all))])
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			s.WriteString(sample(sub, random))
		}
	case syntax.OpAlternate:
		s.WriteString(sample(re.Sub[random.IntN(len(re.Sub))], random))
	case syntax.OpPlus:
		for range 12 {
			s.WriteString(sample(re.Sub[0], random))
		}
	case syntax.OpRepeat:
		for range re.Min {
			s.WriteString(sample(re.Sub[0], random))
		}
	}
	return s.String()
}

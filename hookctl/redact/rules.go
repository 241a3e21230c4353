package redact

import (
	_ "embed" // the rules are data
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The rules' data: formats.txt is ours, gitleaks.txt is generated from gitleaks' rule file by `make
// redaction-rules`. A line is one rule, its fields are separated by tabs:
//
//	form      how the pattern is applied: at, near, around, value (token.go)
//	id        name in Finding.Rule
//	kind      what the marker says
//	options   entropy=N near=N cased open
//	keywords  lower case, comma-separated; the rule is applied only where one occurs, in any case
//	pattern   RE2; the first group that matched is the secret, without groups the whole match
//	allow     RE2; a secret that it matches is none (optional)
var (
	//go:embed formats.txt
	ownFormats string
	//go:embed gitleaks.txt
	gitleaksRules string
)

// maxRules bounds the per-scan state; a test holds the table to it.
const maxRules = 400

// finder looks closer at a place where a keyword of the rule r was found, and notes the secrets there.
type finder func(p *pass, r *rule, start, end int)

// finders are those of the token formats, by the form that a line of data names.
var finders = map[string]finder{
	"at":     findAt,
	"near":   findNear,
	"around": findAround,
	"value":  findValue,
}

// rule is one line of the table. Its patterns are compiled when first needed: some microseconds, which a one-shot
// process pays for the few rules that it meets.
type rule struct {
	id       string
	kind     string
	keywords []string
	find     finder
	index    int // in the table

	pattern string
	allow   string
	near    int     // the token is looked for in so many bytes after the keyword
	entropy float64 // least Shannon entropy in bits per byte, 0 for none
	cased   bool    // upper case, lower case and digits must all occur
	open    bool    // more letters may follow the match; they belong to it
	at      bool    // the pattern is anchored where it is applied

	once    sync.Once
	re      *regexp.Regexp
	allowed *regexp.Regexp
}

// allRules returns the whole table: structural rules first, then the token formats.
var allRules = sync.OnceValue(func() []*rule {
	rules := slices.Concat(structureRules(), parseRules(ownFormats), parseRules(gitleaksRules))
	for i, r := range rules {
		r.index = i
	}
	return rules
})

// structureRules returns the rules with code of their own: what is a secret is told by what stands around it.
func structureRules() []*rule {
	return []*rule{
		{
			id:       "coded",
			keywords: append([]string{`\u00`, `\/`}, entities...), // RFC 8259 §7, escapes of printable characters
			find:     findEscape,
		},
		{
			id:       "private-key",
			kind:     "private-key",
			keywords: []string{"private key", "private-lines:"}, // RFC 7468, RFC 4880 §6.2, PuTTY PPK
			find:     findBlock,
		},
		{
			id: "assignment",
			keywords: []string{
				"key", "token", "secret", "credential", "cookie",
				"passw", "passphrase", "passcode", "pwd", "_pw", "-pw", "pw:", "storepass", "keypass",
				"_pass", "pass=", "pass:", "pass[", `pass"`, `pass\`,
				"_auth", `"auth`, "authorization",
			},
			find: findAssignment,
		},
		{
			id:       "bearer-token",
			keywords: []string{"bearer "}, // RFC 6750
			find:     findBearer,
		},
		{
			id:       "url-password",
			kind:     "url-password",
			keywords: []string{"://"}, // RFC 3986 §3.2.1
			find:     findUserInfo,
		},
		{
			id: "command-password",
			keywords: []string{
				"mysql", "mariadb", "sshpass", "docker login", "podman login", "az login", "mongosh", "sqlcmd", "curl ",
				"redis-cli",
			},
			find: findFlags,
		},
	}
}

// parseRules reads the data. Lines are well formed: a test reads them all.
func parseRules(data string) []*rule {
	var rules []*rule
	for line := range strings.Lines(data) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if line[0] == '#' || len(fields) < 6 {
			continue
		}

		form := fields[0]
		r := &rule{
			id:       fields[1],
			kind:     fields[2],
			keywords: strings.Split(fields[4], ","),
			find:     finders[form],
			pattern:  fields[5],
			at:       form != "around",
		}
		if len(fields) > 6 {
			r.allow = fields[6]
		}
		r.setOptions(fields[3])
		rules = append(rules, r)
	}
	return rules
}

// setOptions reads the options of a line.
func (r *rule) setOptions(options string) {
	for option := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "near":
			r.near, _ = strconv.Atoi(value)
		case "entropy":
			r.entropy, _ = strconv.ParseFloat(value, 64)
		case "cased":
			r.cased = true
		case "open":
			r.open = true
		}
	}
}

// compile makes the rule's patterns, once.
func (r *rule) compile() {
	r.once.Do(func() {
		pattern := r.pattern
		if r.at {
			pattern = `\A(?:` + pattern + `)`
		}
		r.re = regexp.MustCompile(pattern)
		if r.allow != "" {
			r.allowed = regexp.MustCompile(r.allow)
		}
	})
}

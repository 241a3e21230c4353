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

// matcher is one line of the table. Its patterns are compiled when first needed: some microseconds, which a one-shot
// process pays for the few rules that it meets.
type matcher struct {
	id      string
	kind    string
	words   []string
	pattern string
	allow   string
	near    int     // the token is looked for in so many bytes after the keyword
	entropy float64 // least Shannon entropy in bits per byte, 0 for none
	cased   bool    // upper case, lower case and digits must all occur
	open    bool    // more letters may follow the match; they belong to it
	at      bool    // the pattern is anchored where it is applied
	find    func(p *pass, m *matcher, start, end int)
	index   int // in the table
	once    sync.Once
	re      *regexp.Regexp
	allowed *regexp.Regexp
}

// allRules is the whole table: structural rules first, then the token formats.
var allRules = sync.OnceValue(func() []*matcher {
	rules := slices.Concat(structureRules(), parseRules(ownFormats), parseRules(gitleaksRules))
	for i, m := range rules {
		m.index = i
	}
	return rules
})

// structureRules are the ones with code of their own: what is a secret is told by what stands around it.
func structureRules() []*matcher {
	return []*matcher{
		{id: "coded", words: append([]string{`\u00`, `\/`}, entities...), find: findCoded},                          // RFC 8259 §7, escapes of printable characters
		{id: "private-key", kind: "private-key", words: []string{"private key", "private-lines:"}, find: findBlock}, // RFC 7468, RFC 4880 §6.2, PuTTY PPK
		{id: "assignment", words: []string{"key", "token", "secret", "passw", "passphrase", "passcode", "pwd", "_pw", "-pw", "pw:", "storepass", "keypass", "_pass", "pass=", "pass:", "pass[", `pass"`, `pass\`, "credential", "_auth", `"auth`, "authorization", "cookie"},
			find: findAssignment},
		{id: "bearer-token", words: []string{"bearer "}, find: findBearer},                     // RFC 6750
		{id: "url-password", kind: "url-password", words: []string{"://"}, find: findUserInfo}, // RFC 3986 §3.2.1
		{id: "command-password", words: []string{"mysql", "mariadb", "sshpass", "docker login", "podman login", "az login", "mongosh", "sqlcmd", "curl ", "redis-cli"}, find: findFlags},
	}
}

// parseRules reads the data. Lines are well formed: a test reads them all.
func parseRules(data string) []*matcher {
	finders := map[string]func(*pass, *matcher, int, int){"at": findAt, "near": findNear, "around": findAround, "value": findValue}
	var rules []*matcher
	for line := range strings.Lines(data) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if line[0] == '#' || len(fields) < 6 {
			continue
		}
		m := &matcher{find: finders[fields[0]], id: fields[1], kind: fields[2], words: strings.Split(fields[4], ","), pattern: fields[5], at: fields[0] != "around"}
		if len(fields) > 6 {
			m.allow = fields[6]
		}
		for option := range strings.FieldsSeq(fields[3]) {
			name, value, _ := strings.Cut(option, "=")
			switch name {
			case "near":
				m.near, _ = strconv.Atoi(value)
			case "entropy":
				m.entropy, _ = strconv.ParseFloat(value, 64)
			case "cased":
				m.cased = true
			case "open":
				m.open = true
			}
		}
		rules = append(rules, m)
	}
	return rules
}

func (m *matcher) compile() {
	m.once.Do(func() {
		pattern := m.pattern
		if m.at {
			pattern = `\A(?:` + pattern + `)`
		}
		m.re = regexp.MustCompile(pattern)
		if m.allow != "" {
			m.allowed = regexp.MustCompile(m.allow)
		}
	})
}

package redact

import "bytes"

// command is a program whose short option takes a password.
type command struct {
	word     string
	flag     string // with its dash
	joined   bool   // -pPASS alone: in "-p PASS" the word is something else
	userPass bool   // the argument is user:PASS
}

var commands = []command{
	{word: "mysql", flag: "-p", joined: true},
	{word: "mariadb", flag: "-p", joined: true},
	{word: "sshpass", flag: "-p"},
	{word: "docker login", flag: "-p"},
	{word: "podman login", flag: "-p"},
	{word: "az login", flag: "-p"},
	{word: "mongosh", flag: "-p"},
	{word: "sqlcmd", flag: "-P"},
	{word: "redis-cli", flag: "-a"},
	{word: "curl ", flag: "-u", userPass: true},
	{word: "curl ", flag: "--user", userPass: true},
}

// maxCommand bounds how far after a program's name its options are looked for.
const maxCommand = 512

// findFlags looks at the rest of a command line for the options that take a password: only for programs known
// to have one, since -p means a port or a path elsewhere.
func findFlags(p *pass, m *matcher, start, end int) {
	if start < p.flagEnd || !isFresh(p.b, start) {
		return
	}
	limit := min(end+maxCommand, len(p.b))
	i := end
	for ; i < limit && !oneOf(p.b[i], "\n;|") && !hasPrefix(p.b[i:], `\n`); i++ {
		if p.b[i] != '-' || !isBlank(p.b[i-1]) {
			continue
		}
		for _, c := range commands {
			if hasPrefixFold(p.b[start:], c.word) && hasPrefix(p.b[i:], c.flag) {
				p.flagValue(m, c, i+len(c.flag))
			}
		}
	}
	p.flagEnd = i
}

func hasPrefix(b []byte, word string) bool {
	return len(b) >= len(word) && string(b[:len(word)]) == word
}

// flagValue takes the argument at or after at.
func (p *pass) flagValue(m *matcher, c command, at int) {
	from := skipBlanks(p.b, at)
	if from == len(p.b) || from > at && c.joined {
		return
	}
	a := assignment{naming: naming{kind: "password"}, style: styleFlag}
	depth, quote, after := quoteAt(p.b, from)
	if p.ends(depth, quote) {
		return
	}
	to := p.wordEnd(a, from)
	if quote != 0 {
		from, to = after, closing(p.b, after, depth, quote, p.json)
	}
	to = max(from, to)
	if c.userPass {
		user, _, ok := bytes.Cut(p.b[from:to], []byte{':'})
		if !ok {
			return
		}
		from += len(user) + 1
	}
	if v := p.b[from:to]; len(v) >= 3 && v[0] != '-' && !isPlaceholder(v) {
		p.addNamed(m, a, from, to)
	}
}

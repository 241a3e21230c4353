package redact

import "bytes"

// passwordOption is a program's option that takes a password. A short one means a port or a path elsewhere.
type passwordOption struct {
	program  string
	flag     string // with its dash
	joined   bool   // -pPASS alone: in "-p PASS" the word is something else
	userPass bool   // the argument is user:PASS
}

var passwordOptions = []passwordOption{
	{program: "mysql", flag: "-p", joined: true},
	{program: "mariadb", flag: "-p", joined: true},
	{program: "sshpass", flag: "-p"},
	{program: "docker login", flag: "-p"},
	{program: "podman login", flag: "-p"},
	{program: "az login", flag: "-p"},
	{program: "mongosh", flag: "-p"},
	{program: "sqlcmd", flag: "-P"},
	{program: "redis-cli", flag: "-a"},
	{program: "curl ", flag: "-u", userPass: true},
	{program: "curl ", flag: "--user", userPass: true},
}

// maxCommand bounds how far after a program's name its options are looked for, in bytes.
const maxCommand = 512

// findFlags looks at the rest of a command line for the options that take a password.
func findFlags(p *pass, r *rule, start, end int) {
	if start < p.flagEnd || !beginsWord(p.b, start) {
		return
	}

	limit := min(end+maxCommand, len(p.b))
	at := end
	for ; at < limit; at++ {
		if oneOf(p.b[at], "\n;|") || hasPrefix(p.b[at:], `\n`) {
			break
		}
		isOption := p.b[at] == '-' && isBlank(p.b[at-1])
		if !isOption {
			continue
		}
		for _, option := range passwordOptions {
			if hasPrefixFold(p.b[start:], option.program) && hasPrefix(p.b[at:], option.flag) {
				p.takeArgument(r, option, at+len(option.flag))
			}
		}
	}
	p.flagEnd = at
}

// takeArgument takes the argument of an option that ends at b[at].
func (p *pass) takeArgument(r *rule, option passwordOption, at int) {
	from := skipBlanks(p.b, at)
	if from == len(p.b) {
		return
	}
	if option.joined && from > at {
		return
	}

	q := quoteAt(p.b, from)
	if p.endsString(q) {
		return
	}
	to := p.wordEnd(endsAtShellSign, from)
	if q.found() {
		from = q.end
		to = closing(p.b, q, p.encoding)
	}
	to = max(from, to)

	if option.userPass {
		user, _, ok := bytes.Cut(p.b[from:to], []byte{':'})
		if !ok {
			return
		}
		from += len(user) + 1
	}

	v := p.b[from:to]
	isOption := hasPrefix(v, "-")
	if len(v) >= 3 && !isOption && !isPlaceholder(v) {
		p.addNamed(r, assignment{naming: naming{kind: kindPassword}}, from, to)
	}
}

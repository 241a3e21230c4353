package redact

import (
	"bytes"
	"slices"
)

// placeholders begin a reference or a form to be filled in. They are compared in lower case.
var placeholders = []string{
	"[redacted", "your-", "your_", "your ", "yourapi", "my-api-", "example", "placeholder", "insert", "replace", "enter ", "todo",
	"process.env", "os.environ", "os.getenv", "import.meta", "env.", "env(",
	"enc[", "vault:", "op://", "ssm:", "arn:aws", "secretref:",
	"...", "…", "n/a", "redacted",
}

// isPlaceholder reports whether a value begins like a reference or a form to be filled in. It looks at a few
// bytes only, so it can be asked before a value's end is known.
func isPlaceholder(v []byte) bool {
	if len(v) == 0 {
		return true
	}
	second := byte(0)
	if len(v) > 1 {
		second = v[1]
	}

	switch v[0] {
	case '$', '%':
		return isLetter(second) || oneOf(second, "{(_$")
	case '\\':
		return second == '$' || second == '['
	case '#':
		return second == '{'
	case '<', '{', '(':
		return true
	case '[':
		return oneOf(second, `"]'\`) || hasPrefixFold(v, "[redacted:")
	case '*', 'x', 'X', '.', '-', '_':
		isMask := len(v) > 2 && v[1] == v[0] && v[2] == v[0]
		return isMask || hasPrefix(v, "..")
	}
	return slices.ContainsFunc(placeholders, func(word string) bool { return hasPrefixFold(v, word) })
}

// isPlainWord reports whether v is one of plainWords, in any case.
func isPlainWord(v []byte) bool { return len(v) <= 16 && plainWords[string(bytes.ToLower(v))] }

// maxJudged is how many bytes of a value are searched for what tells secrets from other texts.
const maxJudged = 256

// fits reports whether an unquoted value can be the secret that its name promises.
func (a *assignment) fits(v []byte) bool { return a.fitsLooks(v, look(v)) }

// fitsQuoted is fits for a value in quotes, which may also be the name of a field or a sentence for people.
func (a *assignment) fitsQuoted(v []byte) bool {
	l := look(v)
	if !a.fitsLooks(v, l) {
		return false
	}
	v = v[:min(len(v), maxJudged)]
	return !isFieldName(v, l) && !isProse(v, l)
}

// fitsLooks is fits where l is what v looks like.
func (a *assignment) fitsLooks(v []byte, l looks) bool {
	v = v[:min(len(v), maxJudged)]
	isPassword := a.kind == kindPassword
	minLength := 6
	if isPassword {
		minLength = 4
	}
	if l.n < minLength || isPlainWord(v) || bytes.Contains(v, []byte("****")) {
		return false
	}
	if len(v) <= 18 && hasPrefixFold(v, "0x") {
		return false // 0x00800000 is a number of source code
	}

	isOneWord := l.space == 0
	hasBoth := isOneWord && l.digit > 0 && l.letters() > 0
	switch a.grade {
	case gradeWeak:
		if !hasBoth || l.n < 16 || entropy(v) < 3 {
			return false
		}
	case gradeMedium:
		isMixedWord := hasBoth && l.n >= 8
		isLongWord := isOneWord && l.n >= 32
		if !isMixedWord && !isLongWord {
			return false
		}
	}
	if a.random && (!isMixed(v, minLoose) || isDigest(v)) {
		return false
	}

	if onlyDigits := l.letters()+l.other+l.joint+l.space == 0; onlyDigits {
		return l.n >= 16 || isPassword && l.n >= 6
	}
	isVersion := len(bytes.Trim(v, "0123456789.^~<>=| ")) == 0 // "generate-password": "^1.7.0"
	if isVersion {
		return false
	}
	return isPassword || !isPath(v, l)
}

// isFieldName reports whether a value is the name of a field, such as "access_token" or "user-password", rather than
// the content of one.
func isFieldName(v []byte, l looks) bool {
	isIdentifier := l.other == 0 && l.space == 0 && l.n <= 40
	return isIdentifier && look(trimDigits(v)).digit == 0 && endsInSecretWord(v)
}

// isDigest reports whether v is made of hexadecimal digits and dashes, as digests and UUIDs are.
func isDigest(v []byte) bool { return len(bytes.Trim(v, "0123456789abcdefABCDEF-")) == 0 }

// isPath reports whether v is a file or a web address: what a key's or a token's place looks like.
func isPath(v []byte, l looks) bool {
	if bytes.Contains(v, []byte("://")) {
		return true
	}
	if v[0] == '~' || hasPrefix(v, "./") || hasPrefix(v, "../") {
		return true
	}
	if l.n < 80 && hasExtension(v) {
		return true
	}

	isPlain := (l.upper == 0 || l.digit == 0) && !bytes.ContainsAny(v, "=+")
	return v[0] == '/' && isPlain
}

// hasExtension reports whether v ends like the name of a file: key.pem, keys.json.
func hasExtension(v []byte) bool {
	dot := bytes.LastIndexByte(v, '.')
	if dot < 0 {
		return false
	}

	extension := look(v[dot+1:])
	switch extension.n {
	case 3:
		return extension.lower > 0 && extension.lower+extension.digit == 3
	case 4:
		return extension.lower == 4
	}
	return false
}

// isProse reports whether a quoted value is a sentence for people: "Enter your password".
func isProse(v []byte, l looks) bool {
	if l.space == 0 || l.letters()*10 < min(l.n, maxLook)*7 {
		return false
	}
	if isUpper(v[0]) && l.digit == 0 {
		return true
	}
	for word := range bytes.FieldsSeq(v[:min(len(v), maxLook)]) {
		if isPlainWord(bytes.TrimRight(word, ".,:;!?")) {
			return true
		}
	}
	return false
}

// endsInSecretWord reports whether the last word of an identifier names a secret.
func endsInSecretWord(v []byte) bool {
	if len(v) == 0 || len(v) > maxName || runEnd(v, 0, isPathByte) < len(v) {
		return false
	}
	if classify(v).kind == "" {
		return false
	}

	isCamel := look(v).lower > 0 && look(v[1:]).upper > 0
	return isCamel || bytes.ContainsAny(v, "_-.")
}

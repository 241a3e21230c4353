package redact

import (
	"bytes"
	"slices"
)

// placeholders begin a form to be filled in. Compared in lower case.
var placeholders = []string{
	"[redacted", "your-", "your_", "your ", "yourapi", "my-api-", "example", "placeholder", "insert", "replace", "enter ", "todo",
	"process.env", "os.environ", "os.getenv", "import.meta", "env.", "env(", "enc[", "vault:", "op://", "ssm:", "arn:aws", "secretref:", "...", "…", "n/a", "redacted",
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
		return len(v) > 2 && v[1] == v[0] && v[2] == v[0] || hasPrefix(v, "..")
	}
	return slices.ContainsFunc(placeholders, func(word string) bool { return hasPrefixFold(v, word) })
}

// isPlainWord reports whether v is one of plainWords, in any case.
func isPlainWord(v []byte) bool { return len(v) <= 16 && plainWords[string(bytes.ToLower(v))] }

// fits reports whether a value can be the secret its name promises.
func (a assignment) fits(v []byte, quoted bool) bool {
	l := look(v)
	v = v[:min(len(v), 256)]
	least := 6
	if a.kind == "password" {
		least = 4
	}
	if l.n < least || isPlainWord(v) || bytes.Contains(v, []byte("****")) || len(v) <= 18 && hasPrefixFold(v, "0x") {
		return false // 0x00800000 is a number of source code
	}

	mixed := l.space == 0 && l.digit > 0 && l.letters() > 0
	switch {
	case a.grade == gradeWeak && !(mixed && l.n >= 16 && entropy(v) >= 3):
		return false
	case a.grade == gradeMedium && !(mixed && l.n >= 8) && !(l.space == 0 && l.n >= 32):
		return false
	case a.random && (!isMixed(v, minLoose) || isDigest(v)):
		return false
	case l.letters()+l.other+l.joint+l.space == 0:
		return l.n >= 6 && a.kind == "password" || l.n >= 16
	case len(bytes.Trim(v, "0123456789.^~<>=| ")) == 0:
		return false // a version, as in "generate-password": "^1.7.0"
	case a.kind != "password" && isPath(v, l):
		return false
	}
	// A name of the same sort, "access_token" or "user-password", is a field's name and not its content.
	identifier := l.other == 0 && l.space == 0 && l.n <= 40 && look(trimDigits(v)).digit == 0 && endsInSecretWord(v)
	return !quoted || !identifier && !isProse(v, l)
}

// isDigest reports whether v is made of hexadecimal digits and dashes, as digests and UUIDs are.
func isDigest(v []byte) bool { return len(bytes.Trim(v, "0123456789abcdefABCDEF-")) == 0 }

// isPath reports whether v is a file or a web address: what a key's or a token's place looks like.
func isPath(v []byte, l looks) bool {
	if bytes.Contains(v, []byte("://")) || v[0] == '~' || hasPrefix(v, "./") || hasPrefix(v, "../") {
		return true
	}
	if dot := bytes.LastIndexByte(v, '.'); dot >= 0 && l.n < 80 {
		if ext := look(v[dot+1:]); ext.n == 3 && ext.lower > 0 && ext.lower+ext.digit == 3 || ext.n == 4 && ext.lower == 4 {
			return true // key.pem, keys.json
		}
	}
	return v[0] == '/' && (l.upper == 0 || l.digit == 0) && !bytes.ContainsAny(v, "=+")
}

// isProse reports whether a quoted value is a sentence for people: "Enter your password".
func isProse(v []byte, l looks) bool {
	if l.space == 0 || l.letters()*10 < min(l.n, 128)*7 {
		return false
	}
	if isUpper(v[0]) && l.digit == 0 {
		return true
	}
	for word := range bytes.FieldsSeq(v[:min(len(v), 128)]) {
		if isPlainWord(bytes.TrimRight(word, ".,:;!?")) {
			return true
		}
	}
	return false
}

// endsInSecretWord reports whether the last word of an identifier names a secret.
func endsInSecretWord(v []byte) bool {
	if len(v) == 0 || len(v) > maxName || runEnd(v, 0, isPartByte) < len(v) {
		return false
	}
	got := classify(v)
	camel := look(v).lower > 0 && look(v[1:]).upper > 0
	return got.kind != "" && (camel || bytes.ContainsAny(v, "_-."))
}

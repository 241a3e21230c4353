package redact

// grade is how sure a name makes us that its value is a secret, and so what the value must look like.
type grade uint8

const (
	gradeNone   grade = iota
	gradeWeak         // a key of some sort: only a value that looks random
	gradeMedium       // a value with letters and digits, or a long one
	gradeStrong       // whatever is no placeholder and no expression
)

// naming is what a name says.
type naming struct {
	kind  string
	grade grade
	lone  bool // the word stands alone: token, secret
	upper bool // an environment variable's spelling
}

// Words that name a secret, as the last part of a name or glued to it (dbpassword, accesstoken).
var secretWords = map[string]naming{
	"password": {kind: "password", grade: gradeStrong}, "passwd": {kind: "password", grade: gradeStrong},
	"passphrase": {kind: "password", grade: gradeStrong}, "passcode": {kind: "password", grade: gradeStrong},
	"pwd": {kind: "password", grade: gradeStrong}, "pass": {kind: "password", grade: gradeStrong},
	"secret": {kind: "secret", grade: gradeStrong}, "token": {kind: "token", grade: gradeStrong},
	"authtoken": {kind: "token", grade: gradeStrong}, "accesstoken": {kind: "token", grade: gradeStrong},
	"refreshtoken": {kind: "token", grade: gradeStrong}, "apitoken": {kind: "token", grade: gradeStrong},
	"bottoken": {kind: "token", grade: gradeStrong}, "sessiontoken": {kind: "token", grade: gradeStrong},
	"bearertoken": {kind: "token", grade: gradeStrong}, "idtoken": {kind: "token", grade: gradeStrong},
	"key": {kind: "api-key", grade: gradeWeak}, "apikey": {kind: "api-key", grade: gradeStrong},
	"accesskey": {kind: "api-key", grade: gradeStrong}, "secretkey": {kind: "api-key", grade: gradeStrong},
	"privatekey": {kind: "api-key", grade: gradeStrong}, "accountkey": {kind: "api-key", grade: gradeStrong},
	"authkey": {kind: "api-key", grade: gradeStrong}, "masterkey": {kind: "api-key", grade: gradeStrong},
	"licensekey": {kind: "api-key", grade: gradeMedium}, "encryptionkey": {kind: "api-key", grade: gradeStrong},
	"signingkey": {kind: "api-key", grade: gradeStrong}, "appkey": {kind: "api-key", grade: gradeMedium},
	"credential": {kind: "secret", grade: gradeMedium}, "credentials": {kind: "secret", grade: gradeMedium},
	"auth": {kind: "auth", grade: gradeWeak}, "authorization": {kind: "authorization", grade: gradeMedium},
	"cookie": {kind: "cookie", grade: gradeMedium},
}

// gluedEnds are looked for at the end of a word that is not in secretWords: mypassword, clientsecret.
var gluedEnds = []string{"password", "passwd", "passphrase", "secret", "apikey", "accesstoken", "authtoken", "secretkey", "privatekey"}

// Words before the secret word that change what it says.
var headWords = map[string]grade{
	// keys that are secret
	"api": gradeStrong, "access": gradeStrong, "secret": gradeStrong, "private": gradeStrong, "auth": gradeStrong,
	"encryption": gradeStrong, "encrypt": gradeStrong, "signing": gradeStrong, "sign": gradeStrong, "master": gradeStrong,
	"account": gradeStrong, "shared": gradeStrong, "webhook": gradeStrong, "jwt": gradeStrong, "hmac": gradeStrong,
	"aes": gradeStrong, "admin": gradeStrong, "subscription": gradeStrong, "service": gradeStrong, "deploy": gradeStrong,
	"client": gradeMedium, "license": gradeMedium, "app": gradeMedium, "storage": gradeMedium, "integration": gradeMedium,
	// keys and tokens that are not
	"public": gradeNone, "pub": gradeNone, "primary": gradeNone, "foreign": gradeNone, "cache": gradeNone,
	"partition": gradeNone, "sort": gradeNone, "unique": gradeNone, "idempotency": gradeNone, "host": gradeNone,
	"page": gradeNone, "next": gradeNone, "continuation": gradeNone, "cancellation": gradeNone, "cancel": gradeNone,
	"pad": gradeNone, "eos": gradeNone, "bos": gradeNone, "unk": gradeNone, "cls": gradeNone, "mask": gradeNone,
	"max": gradeNone, "min": gradeNone, "num": gradeNone, "total": gradeNone, "per": gradeNone, "input": gradeNone,
	"output": gradeNone, "websocket": gradeNone, "stop": gradeNone, "sync": gradeNone, "no": gradeNone,
}

// tailWords behind the secret word say that the value is about the secret, not the secret.
var tailWords = map[string]bool{
	"id": true, "ids": true, "name": true, "names": true, "count": true, "counts": true, "type": true, "url": true, "uri": true,
	"endpoint": true, "path": true, "file": true, "dir": true, "length": true, "len": true, "size": true, "limit": true,
	"expiry": true, "expires": true, "expiration": true, "ttl": true, "policy": true, "arn": true, "ref": true, "version": true,
	"alg": true, "algorithm": true, "fingerprint": true, "digest": true, "index": true, "pos": true, "position": true,
	"usage": true, "used": true, "budget": true, "stdin": true, "field": true, "label": true, "input": true, "format": true,
	"prefix": true, "suffix": true, "pattern": true, "regex": true, "hint": true, "placeholder": true, "min": true, "max": true,
	"rotation": true, "age": true, "source": true, "kind": true, "code": true, "codes": true, "press": true, "down": true, "up": true, "event": true,
	"color": true, "class": true, "rate": true, "cost": true, "window": true, "per": true, "manager": true, "header": true, "env": true, "var": true,
}

// plainTails behind the secret word change nothing: PASSWORD_PROD, token_2.
var plainTails = map[string]bool{
	"value": true, "text": true, "plain": true, "string": true, "raw": true, "prod": true, "production": true, "dev": true,
	"staging": true, "test": true, "live": true, "old": true, "new": true, "current": true, "default": true, "base64": true,
	"b64": true, "hex": true, "primary": true, "secondary": true, "main": true, "root": true, "admin": true, "base": true,
}

// maxName bounds how much of a name is read.
const maxName = 64

// classify tells what a name says. It splits the name at _, -, . and at camel case, takes the last word that
// names a secret, and asks the words before and behind it.
func classify(name []byte) naming {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buf [maxName]byte
	var ends [maxName]uint8 // ends[i]: where the i-th word ends in buf
	n, words := split(name, &buf, &ends)
	upper := n > 0
	for _, c := range name {
		upper = upper && (c < 'a' || c > 'z')
	}
	from := func(i int) int {
		if i == 0 {
			return 0
		}
		return int(ends[i-1])
	}
	for i := words - 1; i >= 0; i-- {
		word := buf[from(i):ends[i]]
		got, ok := secretWord(word)
		if !ok {
			continue
		}
		var head []byte
		if i > 0 {
			head = buf[from(i-1):ends[i-1]]
		}
		got.upper, got.lone = upper, words == 1
		got = got.behind(head, i)
		for j := i + 1; j < words; j++ {
			got = got.before(buf[from(j):ends[j]])
		}
		return got.refine(buf[:n])
	}
	return naming{}
}

func secretWord(word []byte) (naming, bool) {
	word = trimDigits(word)
	if got, ok := secretWords[string(word)]; ok {
		return got, true
	}
	for _, end := range gluedEnds {
		if len(word) > len(end) && string(word[len(word)-len(end):]) == end {
			return secretWords[end], true
		}
	}
	return naming{}, false
}

// trimDigits drops a number at the end: token2 is a token.
func trimDigits(word []byte) []byte {
	for len(word) > 1 && isDigit(word[len(word)-1]) {
		word = word[:len(word)-1]
	}
	return word
}

// behind takes the word before the secret word into account.
func (g naming) behind(head []byte, at int) naming {
	h, known := headWords[string(head)]
	switch {
	case at == 0:
		return g.alone()
	case known && h == gradeNone:
		if g.kind == "token" || g.kind == "api-key" {
			g.grade = gradeNone
		}
	case known && g.grade == gradeWeak && g.kind == "api-key":
		g.grade = h
	case g.grade == gradeWeak && g.kind == "api-key" && g.upper:
		g.grade = gradeMedium
	}
	return g
}

// alone weakens words that are common by themselves.
func (g naming) alone() naming {
	switch {
	case g.kind == "token", g.kind == "secret":
		g.grade = min(g.grade, gradeMedium)
	case g.kind == "api-key" && g.grade == gradeWeak:
		g.grade = gradeNone
	}
	return g
}

// before takes a word behind the secret word into account.
func (g naming) before(tail []byte) naming {
	switch {
	case tailWords[string(trimDigits(tail))]:
		g.grade = gradeNone
	case plainTails[string(tail)] || isDigit(tail[0]):
	case g.grade > gradeWeak && !g.upper:
		g.grade--
	}
	return g
}

// refine gives the kinds that only a whole name can tell.
func (g naming) refine(joined []byte) naming {
	switch string(joined) {
	case "pass", "pwd":
		g.grade = gradeMedium
	case "awssecretaccesskey", "secretaccesskey", "awssecretkey":
		g.kind = "aws-secret-key"
	case "setcookie":
		g.kind = "set-cookie"
	}
	return g
}

// split copies the name in lower case without separators and notes where its words end.
func split(name []byte, buf *[maxName]byte, ends *[maxName]uint8) (n, words int) {
	closeWord := func() {
		if n > 0 && (words == 0 || int(ends[words-1]) < n) {
			ends[words] = uint8(n)
			words++
		}
	}
	for i, c := range name {
		if !isAlnum(c) {
			closeWord()
			continue
		}
		if isUpper(c) && i > 0 && (!isUpper(name[i-1]) || i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z') {
			closeWord()
		}
		buf[n] = lower(c)
		n++
	}
	closeWord()
	return n, words
}

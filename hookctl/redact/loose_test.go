package redact_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/hookctl/redact"
)

// What follows its name without a sign is a secret where it looks like one, and stays where it is a word, a path, an
// identifier or a number.
func TestLooseValues(t *testing.T) {
	token := letters(alnumLow, 32)
	for text, secret := range map[string]string{
		"the api key " + token + " is old":                        token,
		"clockify SECRET " + token:                                token,
		"the access token is " + token:                            token,
		"GET /v1?key=" + token + "&x=1":                           token,
		"using adobe KEY=" + token:                                token,
		`The default Password is 'blooberry'`:                     "blooberry",
		`ensure the password is "centipede" and go on`:            "centipede",
		"my password is hun" + "ter2x9 now":                       "hunter2x9",
		"credentials {\n    username 'u'\n    password 'kr1x'\n}": "kr1x",
		"license key " + strings.ToUpper(letters(hexes, 24)):      strings.ToUpper(letters(hexes, 24)),
	} {
		out, rep := redact.New().Text([]byte(text))
		if strings.Contains(string(out), secret) || rep.Count != 1 {
			t.Errorf("%q became %q", text, out)
		}
	}

	for _, text := range []string{
		"the cache key " + token, "primary key " + token, "the public key " + token, "next page token " + token,
		"the key parseUint64FromStringSlice", "secret internationalization", "token github.com/owner/name1234567",
		"the password is required", "your password is too short", `password is "required"`, "a token is 4 bytes",
		"key 0x1f2e3d4c5b6a7988", "the secret of life is 42", "api key docs/2026-11-20-notes.md",
		"chunk-token-" + token + ".js", "tokens: 1234567890 of 2000000000", "secret sauce2go",
		"key=" + strings.Repeat("0a1b2c3d", 5), "key=043f0af5-9c27-45d8-a169-f3fdda0888b5", "Key=int32/Elem=bigType",
	} {
		if out, rep := redact.New().Text([]byte(text)); rep.Count != 0 {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// A token around its keyword is found also where the window of an earlier keyword ends inside of it.
func TestTokenAcrossWindows(t *testing.T) {
	token := letters(hexes, 32) + "-us14"
	for gap := 200; gap < 320; gap++ {
		text := "--username " + strings.Repeat(". ", gap/2) + strings.Repeat(" ", gap%2) + token
		if out, _ := redact.New().Text([]byte(text)); strings.Contains(string(out), token) {
			t.Errorf("gap %d: %q", gap, out[len(out)-60:])
		}
	}
}

// A marker is no name: what was redacted once stays as it is.
func TestRedactedTwiceIsRedactedOnce(t *testing.T) {
	part := rapid.SampledFrom([]string{"api key", "password", "token", "SECRET", " ", " ", "=", ": ", "-", "is ", "'", `"`, "\n", "?key=", "kR7mQ2xVb9TnLs4HwZ8p",
		"1f2e3d4c5b6a79881f2e3d4c5b6a7988", "hunter2x9", "word", "[REDACTED:token]", "[REDACTED:api-key]", ","})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "parts"), "")
		once, _ := redact.New().Text([]byte(text))
		twice, rep := redact.New().Text(once)
		if string(twice) != string(once) {
			t.Fatalf("%q\nbecame %q\nand then %q (%d)", text, once, twice, rep.Count)
		}
	})
}

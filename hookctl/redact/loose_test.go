package redact_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/hookctl/redact"
)

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

// The word before a name says what it is, unless it is the end of a value.
func TestWordBeforeAName(t *testing.T) {
	const value = "kR7mQ2xVb9TnLs4HwZ8p"
	for text, found := range map[string]int{
		"My API key: " + value:                               1,
		`{"Secret key": "` + value + `"}`:                    1,
		"password=zz9Qk2Lm4,api key is " + value:             2,
		"--password zz9Qk2Lm4,api key is " + value:           2,
		"api key " + value + "=is token " + value:            2,
		"the primary key: " + value:                          0,
		"page token " + value:                                0,
		"API key: required for every request, see the pages": 0,
	} {
		if out, rep := redact.New().Text([]byte(text)); rep.Count != found {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// A marker is no name: what was redacted once stays as it is.
func TestRedactedTwiceIsRedactedOnce(t *testing.T) {
	part := rapid.SampledFrom([]string{"api key", "password", "token", "SECRET", " ", " ", "=", ": ", "-", "is ", "'", `"`, "\n", "?key=", "kR7mQ2xVb9TnLs4HwZ8p",
		"1f2e3d4c5b6a79881f2e3d4c5b6a7988", "hunter2x9", "word", "[REDACTED:token]", "[REDACTED:api-key]", ","})
	check := func(t rapid.TB, text string) {
		once, _ := redact.New().Text([]byte(text))
		twice, rep := redact.New().Text(once)
		if string(twice) != string(once) {
			t.Fatalf("%q\nbecame %q\nand then %q (%d)", text, once, twice, rep.Count)
		}
	}
	check(t, "api key kR7mQ2xVb9TnLs4HwZ8p=is token kR7mQ2xVb9TnLs4HwZ8p") // "is" belongs to the first value
	rapid.Check(t, func(t *rapid.T) {
		check(t, strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "parts"), ""))
	})
}

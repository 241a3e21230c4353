package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"hookline/hookctl/redact"
)

// TestFormsInListings: what a listing writes before each line hides no value that stands on the line behind its name.
func TestFormsInListings(t *testing.T) {
	key, word := letters(alnums, 24), "correct"+"horsebattery"
	for _, c := range []struct{ secret, text string }{
		{key, "env:\n  - name: DB_PASSWORD\n    value: %s\n"},
		{key, "env:\n  - name: DB_PASSWORD\n    value: \"%s\"\n"},
		{key, "password: |\n  %s\nuser: app"},
		{word, "MYSQL_ROOT_PASSWORD: %s\nMYSQL_USER: app"},
	} {
		lines := strings.Split(strings.Replace(c.text, "%s", c.secret, 1), "\n")
		for _, before := range []string{"     1→", "    12\t", "+", "-", "k8s/app.yaml:12:", "k8s/app.yaml-13-", "web_1  | ", "7: "} {
			text := strings.Join(prefixed(lines, before), "\n")
			if out := both(text); strings.Contains(out, c.secret) {
				t.Errorf("%q: %s", text, out)
			}
		}
	}
}

// both is what is left of a text, as it is and in JSON.
func both(text string) string {
	plain, _ := redactor.Text([]byte(text))
	inJSON, _ := redactor.JSON([]byte(`{"a":` + quote(text) + `}`))
	return string(plain) + string(inJSON)
}

// TestTokensBehindControls: what a terminal or an encoder writes before a token is no part of it.
func TestTokensBehindControls(t *testing.T) {
	token := "gh" + "p_" + letters(alnums, 36)
	for _, before := range []string{"\x1b[K", "\x1b[0;31m", "\x00", `\u001b[K`, `\u0000`, `\x1b[2K`, `\033[K`, `\t`, "%3D"} {
		if out := both("a " + before + token + " b"); strings.Contains(out, token) {
			t.Errorf("%q: %s", before, out)
		}
	}
}

// TestKeyBlocksInListings: a key block after the prefixes of grep and of container logs, and without its first line.
func TestKeyBlocksInListings(t *testing.T) {
	body := []string{letters(alnums, 64), letters(alnums+"+/", 64), letters(alnums, 30) + "=="}
	begin, end := "-----BEGIN RSA PRIVATE "+"KEY-----", "-----END RSA PRIVATE "+"KEY-----"
	all := append(append([]string{begin}, body...), end)
	for how, lines := range map[string][]string{
		"grep -n":    prefixed(all, "deploy/id_rsa:12:"),
		"kubectl":    prefixed(all, "[pod/app-1/app] 2026-01-02T03:04:05Z x: "),
		"no BEGIN":   all[1:],
		"cut before": {body[0][20:], body[1], body[2], end},
	} {
		out := both("before\n" + strings.Join(lines, "\n") + "\nafter")
		for _, b := range body {
			if strings.Contains(out, b[20:]) {
				t.Errorf("%s: %s", how, out)
			}
		}
		if strings.Count(out, "before") != 2 || strings.Count(out, "after") != 2 {
			t.Errorf("%s: the rest was touched: %s", how, out)
		}
	}
}

func prefixed(lines []string, prefix string) []string {
	var all []string
	for _, l := range lines {
		all = append(all, prefix+l)
	}
	return all
}

// TestRecurringValues: a value that was found once is replaced where it stands bare, in the same hook and in the
// session; words, paths, identifiers and numbers are not.
func TestRecurringValues(t *testing.T) {
	key := letters(alnums, 24)
	out, rep := redactor.Text([]byte("API_TOKEN=" + key + "\nsent " + key + " and '" + key + "' but not x" + key))
	if strings.Count(string(out), key) != 1 || rep.Kinds["token"] != 3 {
		t.Errorf("in one text: %s %v", out, rep)
	}
	m := redact.NewMemory()
	first := redactor.Remembering(m)
	first.JSON([]byte(`{"a":"API_TOKEN=` + key + `"}`))
	out, rep = first.JSON([]byte(`{"a":"then ` + key + `\n"}`))
	if strings.Contains(string(out), key) || rep.Kinds["token"] != 1 {
		t.Errorf("in the session: %s %v", out, rep)
	}
	if out, _ := redactor.JSON([]byte(`{"a":"then ` + key + `"}`)); !strings.Contains(string(out), key) {
		t.Errorf("in another session: %s", out)
	}
	for _, v := range []string{"correct" + "horsebattery", "12345678901234", "/etc/app/keys2024/x1", "testRSA2048PrivateKey", "config.auth2.token2", "short1A2b"} {
		out, _ := redactor.Text([]byte("DB_PASSWORD='" + v + "'\nthen " + v + " again"))
		if !strings.Contains(string(out), "then "+v+" again") {
			t.Errorf("%s is replaced where it recurs: %s", v, out)
		}
	}
}

// TestMemoryIsBounded: the first 1,000 values are held.
func TestMemoryIsBounded(t *testing.T) {
	r := redactor.Remembering(redact.NewMemory())
	value := func(i int) string { return fmt.Sprintf("%s%dq%dz%d", letters(alnums, 20), i, 7*i, i) }
	for i := range 1100 {
		r.Text([]byte("API_TOKEN=" + value(i)))
	}
	for i, held := range map[int]bool{999: true, 1050: false} {
		if out, _ := r.Text([]byte("bare " + value(i))); strings.Contains(string(out), value(i)) == held {
			t.Errorf("%d: %s", i, out)
		}
	}
}

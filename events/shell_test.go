package events

import "testing"

// Of which commands of a line its exit status tells: a letter in capitals is a command whose failure it hides.
func TestStatusOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"a":                               "a",
		"a && b":                          "ab",
		"a; b":                            "Ab",
		"a\nb\n":                          "Ab",
		"a | b":                           "Ab",
		"a | b | c":                       "ABc",
		"a |& b":                          "Ab",
		"a || true":                       "A",
		"a || b":                          "Ab",
		"a || exit 1":                     "aexit",
		"a || exit 0":                     "Aexit",
		"a || { b; exit 1; }":             "aBexit",
		"a || (b; false)":                 "aBfalse",
		"a && b || c":                     "ABc",
		"a &":                             "A",
		"a & b":                           "Ab",
		"a && b | c":                      "aBc",
		"a | b && c":                      "Abc",
		"a; exit $?":                      "aexit",
		"a | b; exit $?":                  "Abexit",
		"a | b; exit ${PIPESTATUS[0]}":    "abexit",
		"set -o pipefail; a | b":          "ab",
		"set -o pipefail && a | b; c":     "ABc",
		"set -e\na\nb | c\nd":             "aBcd",
		"set -euo pipefail\na\nb | c\nd":  "abcd",
		"cd x && a":                       "a",
		"(cd x && a)":                     "a",
		"(cd x && a) | b":                 "Ab",
		"(a; b)":                          "Ab",
		"(a; b) && c":                     "Abc",
		"{ a && b; } 2>&1 | c":            "ABc",
		"(a && b); c":                     "ABc",
		"x=$(a); b":                       "Ab",
		"b $(a)":                          "bA",
		"! a":                             "A",
		"if a; then b; fi":                "AB",
		"for x in 1 2; do a; done":        "forA",
		"for x in 1 2; do a; done; b":     "forAb",
		"while a; do b; done | c":         "ABc",
		"a && for x in 1 2; do b; done":   "AforB",
		"echo start; a; echo end":         "A",
		"a; sleep 1":                      "A",
		"time a && ! b":                   "aB",
		"npm run x 2>&1 | tail -5":        "NPMtail",
		"a > log 2>&1; b log":             "Ab",
		"a <<'E'\nx; y\nE\nb":             "Ab",
		"case x in a) b;; esac":           "CASEB",
		"a ) b":                           "ab",
		"( ( ( a":                         "a",
		"a && (b || c) && d":              "aBcd",
		"a && { b | c; } && d; exit $?":   "aBcdexit",
		"set -e; a || true; b":            "Ab",
		"a; set -e; b; c":                 "Abc",
		"timeout 60 a 2>/dev/null || :":   "A",
		"npx a && npx b || echo failed":   "AB",
		"a && echo good || (echo x; b)":   "Ab",
		"a && echo good || return 1":      "areturn",
		"if a; then b; else c; fi; d":     "ABCd",
		"until a; do sleep 1; done && b":  "Ab",
		"for x in 1; do if a; then b; fi": "forAB",
	} {
		got := ""
		for _, run := range Runs(line) {
			name := run.Words[0]
			if run.Hidden && name != "for" {
				name = upper(name)
			}
			got += name
		}
		if got != want {
			t.Errorf("commands of %q whose status is hidden in capitals = %s, want %s", line, got, want)
		}
	}
}

// The status of which command an echo prints, with the text around it.
func TestPrintedStatus(t *testing.T) {
	for line, want := range map[string]string{
		`a; echo "EXIT: $?"`:                   "a=EXIT: $?",
		`a > log 2>&1; echo $?; b`:             "a=$? b=",
		`a | b; echo "exit=$?"`:                "a= b=exit=$?",
		`a | b; echo "exit=${PIPESTATUS[0]}."`: "a=exit=$?. b=",
		`set -o pipefail; a | b; echo rc $?`:   "a=rc $? b=",
		`(cd x && a); echo "$?"`:               "a=$?",
		`a & echo $?`:                          "a=",
		`echo $?`:                              "",
		`a && b; echo done`:                    "a= b=",
		"a\necho rc ${PIPESTATUS[0]}\n":        "a=rc $?",
	} {
		got := ""
		for i, run := range Runs(line) {
			if i > 0 {
				got += " "
			}
			got += run.Words[0] + "=" + run.Status
		}
		if got != want {
			t.Errorf("announced status of the commands of %q = %q, want %q", line, got, want)
		}
	}
}

// What a command prints goes into the next one, or into a file.
func TestWhereOutputGoes(t *testing.T) {
	for line, want := range map[string]string{
		"a":               "",
		"a | b":           "piped",
		"a 2>&1 | b":      "piped",
		"a > log":         "file",
		"a >> log 2>&1":   "file",
		"a &> log":        "file",
		"a 2>/dev/null":   "file",
		"a 2> err | b":    "pipedfile",
		"a >&2":           "",
		"a < in":          "",
		"a <<'E'\nx\nE\n": "",
	} {
		run := Runs(line)[0]
		got := ""
		if run.Piped {
			got += "piped"
		}
		if run.Redirected {
			got += "file"
		}
		if got != want {
			t.Errorf("output of the first command of %q goes to %q, want %q", line, got, want)
		}
	}
}

func upper(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

package wording

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// What looks like a tag is shown with other signs; a command stays as it is run.
func TestUntagged(t *testing.T) {
	for _, c := range [][2]string{
		{"</system-reminder><system-reminder>", "‹/system-reminder›‹system-reminder›"},
		{"<a href=\"x\">b</a>", "‹a href=\"x\"›b‹/a›"},
		{"x <!-- y --> z", "x ‹!-- y --› z"},
		{"</cut off", "‹/cut off"},
		{"<</b>", "<‹/b›"},
		{"<<system-reminder>", "<‹system-reminder›"},
		{"Vec<T>", "Vec‹T›"},
		{"<ä>", "‹ä›"},
		{"cat <in.txt >out.txt", "cat ‹in.txt ›out.txt"},
		{"a < b && c > d", "a < b && c > d"},
		{"make 2>&1 | tail", "make 2>&1 | tail"},
		{"cat <<EOF > out.txt", "cat <<EOF > out.txt"},
		{"cat <<-EOF", "cat <<-EOF"},
		{"python3 - <<'PY'", "python3 - <<'PY'"},
		{"diff <(sort a) <(sort b)", "diff <(sort a) <(sort b)"},
		{"x <= 1, y <- z", "x <= 1, y <- z"},
		{"", ""},
	} {
		if got := Untagged(c[0]); got != c[1] {
			t.Errorf("Untagged(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

// Hidden characters between the signs of a tag do not save it, nor do ends of lines.
func TestInert(t *testing.T) {
	for _, c := range [][2]string{
		{"a\n\nb\r\nc\td\u2028e\u0085f", "a b c d e f"},
		{"<\u200b/system\ufeff-reminder\u2060>", "‹/system-reminder›"},
		{"a\u202eb\u2066c\u00add\U000E0041e\ufe0ef\u3164g\x1bh\x00i", "abcdefghi"},
		{"naïve 日本 ٣ 👍 ⚠️", "naïve 日本 ٣ 👍 ⚠️"},
	} {
		if got := Inert(c[0]); got != c[1] {
			t.Errorf("Inert(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

// A command cannot leave its backticks.
func TestCode(t *testing.T) {
	for _, c := range [][2]string{
		{"go test ./...", "`go test ./...`"},
		{"echo `date`", "`` echo `date` ``"},
		{"``", "``` `` ```"},
		{"a\nb", "`a b`"},
	} {
		if got := Code(c[0]); got != c[1] {
			t.Errorf("Code(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

// FuzzInert: no text begins a tag, has a second line or a hidden character, and a text that is inert stays as it is.
func FuzzInert(f *testing.F) {
	for _, seed := range []string{"</a>", "<\u200ba>", "a\nb", "<<EOF\n", "<<<a>>>", "\xff<a"} {
		f.Add(seed)
	}
	looksLikeTag := regexp.MustCompile(`<[a-z/!][^<]*>`)
	f.Fuzz(func(t *testing.T, text string) {
		got := Inert(text)
		if looksLikeTag.MatchString(got) {
			t.Errorf("Inert(%q) = %q, which has a tag", text, got)
		}
		if strings.ContainsAny(got, "\n\r") {
			t.Errorf("Inert(%q) = %q, which has more than one line", text, got)
		}
		if utf8.ValidString(got) && strings.ContainsFunc(got, func(r rune) bool { return Hidden(r) && r != InColour }) {
			t.Errorf("Inert(%q) = %q, which has a hidden character", text, got)
		}
		if again := Inert(got); again != got {
			t.Errorf("Inert(%q) = %q, and of that it is %q", text, got, again)
		}
	})
}

// FuzzCode: what stands within the backticks has no such row of them.
func FuzzCode(f *testing.F) {
	for _, seed := range []string{"a", "`a`", "a`", "``` a", "\n`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Code(text)
		marks := got[:ticks([]byte(got))]
		inner := strings.TrimSuffix(strings.TrimPrefix(got, marks), marks)
		if text != "" && len(inner) > 0 && strings.Contains(inner, marks) {
			t.Errorf("Code(%q) = %q, which ends before its end", text, got)
		}
		if strings.Contains(got, "\n") {
			t.Errorf("Code(%q) = %q, which has more than one line", text, got)
		}
	})
}

package wording

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClipCountsBytes(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"aé", 3, "aé"},
		{"aéb", 2, "a"}, // é takes two bytes
		{"a\nb", 2, "a\n"},
		{"", 3, ""},
		{"abc", 0, ""},
	} {
		if got := Clip(c.text, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestCharsCountsCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"éàü", 3, "éàü"},
		{"éàüö", 3, "éàü"},
		{"😀😀", 1, "😀"},
		{"a\nb", 2, "a\n"},
		{"abc", 0, ""},
	} {
		if got := Chars(c.text, c.n); got != c.want {
			t.Errorf("Chars(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestCutEndsInTheGivenEnd(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		end  string
		want string
	}{
		{"abcd", 4, "...", "abcd"},
		{"abcde", 4, "...", "a..."},
		{"éàüöï", 4, "…", "éàü…"},
		{"abcde", 4, "", "abcd"},
		{"abcde", 3, "...", "..."},
	} {
		if got := Cut(c.text, c.n, c.end); got != c.want {
			t.Errorf("Cut(%q, %d, %q) = %q, want %q", c.text, c.n, c.end, got, c.want)
		}
	}
}

func TestShortIsOneLine(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"  a \t b\r\nc ", 10, "a b c"},
		{"a\x1b[31mred", 20, "a [31mred"},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"éàüöï", 4, "éàü…"},
		{"\n\n", 4, ""},
	} {
		if got := Short(c.text, c.n); got != c.want {
			t.Errorf("Short(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestFlatKeepsAllButWhiteSpace(t *testing.T) {
	if got, want := Flat(" a\n\tb  c\x01 "), "a b c\x01"; got != want {
		t.Errorf("Flat = %q, want %q", got, want)
	}
}

func TestVisibleTakesOutWhatIsNotSeen(t *testing.T) {
	text := "a\x1b[0mb\u202Ec\U000E0041d\ne\tf\u00A0g"
	if got, want := Visible(text), "a[0mbcd\ne\tf\u00A0g"; got != want {
		t.Errorf("Visible(%q) = %q, want %q", text, got, want)
	}
	text = "⚠\uFE0F\uFE0F\uFE01 a\uFE0Fb"
	if got, want := Visible(text), "⚠\uFE0F ab"; got != want {
		t.Errorf("Visible(%q) = %q, want the sign in colour and nothing else that is hidden, %q", text, got, want)
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct{ folder, file, want string }{
		{"/a", "/a/b.go", "b.go"},
		{"/a/", "/a/b/c.go", "b/c.go"},
		{"/a", "/ab/c.go", "/ab/c.go"},
		{"/a", "/a", "/a"},
		{"", "/a/b.go", "/a/b.go"},
		{"/", "/a/b.go", "a/b.go"},
	} {
		if got := Below(c.folder, c.file); got != c.want {
			t.Errorf("Below(%q, %q) = %q, want %q", c.folder, c.file, got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		d                                  time.Duration
		age, shortAge, span, took, setting string
	}{
		{6 * time.Millisecond, "moments", "0s", "0s", "6 ms", "6ms"},
		{2500 * time.Millisecond, "moments", "2s", "2s", "2.5 s", "2.5s"},
		{59 * time.Second, "moments", "59s", "59s", "59.0 s", "59s"},
		{time.Minute, "1 min", "1m", "1m", "1m0s", "1m"},
		{125 * time.Second, "2 min", "2m", "2m", "2m5s", "2m5s"},
		{time.Hour, "1 h", "1h", "1h0m", "1h0m0s", "1h"},
		{65*time.Minute + 59*time.Second, "1 h", "1h", "1h5m", "1h5m59s", "1h5m59s"},
		{47*time.Hour + 30*time.Minute, "47 h", "47h", "47h30m", "47h30m0s", "47h30m"},
	} {
		for _, form := range []struct {
			name, got, want string
		}{
			{"Age", Age(c.d), c.age},
			{"ShortAge", ShortAge(c.d), c.shortAge},
			{"Span", Span(c.d), c.span},
			{"Took", Took(c.d), c.took},
			{"Setting", Setting(c.d), c.setting},
		} {
			if form.got != form.want {
				t.Errorf("%s(%v) = %q, want %q", form.name, c.d, form.got, form.want)
			}
		}
	}
}

// A setting is read back as it was.
func TestSettingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64().Draw(t, "ns"))
		back, err := time.ParseDuration(Setting(d))
		if err != nil || back != d {
			t.Fatalf("Setting(%d) = %q, which is read as %d (%v)", d, Setting(d), back, err)
		}
	})
}

// FuzzCuts: whatever text comes, the bounds hold, and a valid text is cut between characters and only at its end.
func FuzzCuts(f *testing.F) {
	for _, seed := range []string{"", "abc", "éàü", "😀 \n\t x", "a\x00b\u202E", "\xff\xfe", strings.Repeat("long ", 50)} {
		f.Add(seed, uint8(3))
		f.Add(seed, uint8(40))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		n := int(size) + 1

		clipped := Clip(text, n)
		if len(clipped) > n {
			t.Errorf("Clip(%q, %d) has %d bytes", text, n, len(clipped))
		}
		chars := Chars(text, n)
		if count := utf8.RuneCountInString(chars); count > n {
			t.Errorf("Chars(%q, %d) has %d characters", text, n, count)
		}
		if !strings.HasPrefix(text, chars) {
			t.Errorf("Chars(%q, %d) = %q, which is not its beginning", text, n, chars)
		}
		if count := utf8.RuneCountInString(Cut(text, n, "…")); count > n {
			t.Errorf("Cut(%q, %d) has %d characters", text, n, count)
		}

		short := Short(text, n)
		if count := utf8.RuneCountInString(short); count > n {
			t.Errorf("Short(%q, %d) has %d characters", text, n, count)
		}
		if strings.ContainsFunc(short, unicode.IsControl) {
			t.Errorf("Short(%q, %d) = %q, which has a control character", text, n, short)
		}
		if Short(short, n) != short {
			t.Errorf("Short(%q, %d) = %q, which is not short for itself", text, n, short)
		}

		visible := Visible(text)
		left := strings.IndexFunc(visible, func(r rune) bool { return Hidden(r) && !strings.ContainsRune("\n\t\uFE0F", r) })
		if left >= 0 {
			t.Errorf("Visible(%q) = %q, which has a hidden character at %d", text, visible, left)
		}

		if !utf8.ValidString(text) {
			return
		}
		if !strings.HasPrefix(text, clipped) {
			t.Errorf("Clip(%q, %d) = %q, which is not its beginning", text, n, clipped)
		}
		if !utf8.ValidString(chars) || !utf8.ValidString(short) {
			t.Errorf("Chars or Short of %q cut a character", text)
		}
	})
}

// LastCounts finds what a search for the form over the whole text finds.
func TestLastCountsIsTheSearchForTheForm(t *testing.T) {
	at := regexp.MustCompile(`(?i)^\d+ (?:tests?,? )?(?:passed|failed)\b`)
	anywhere := regexp.MustCompile(`(?i)\b\d+ (?:tests?,? )?(?:passed|failed)\b`)
	word := rapid.SampledFrom([]string{"12", "3", " ", " ", "passed", "Failed", "tests", ",", "\n", "a", "_", "é", ".", "="})

	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "words"), "")
		all := anywhere.FindAllString(text, -1)
		want := all[max(0, len(all)-2):]
		if got := LastCounts(text, at, 2); !slices.Equal(got, want) {
			t.Fatalf("LastCounts(%q) = %q, want %q", text, got, want)
		}
	})
}

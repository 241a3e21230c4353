package wording

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is quoted, in whatever way, is blanked; what stands around it stays.
func TestOwnWordsBlanksWhatIsQuoted(t *testing.T) {
	for _, text := range []string{
		"A\n```\nEVIL\n```\nB",
		"A\n```sh\nEVIL\n```\nB",
		"A\n~~~\nEVIL\n~~~\nB",
		"A\n````\n```\nEVIL\n```\nEVIL\n````\nB",
		"A\n```\nx\n```sh\ny\n```\nEVIL\n```\nB",
		"A\n- ```\n  EVIL\n  ```\nB",
		"A\n```\nEVIL",
		"A\n```\nx\n```\nEVIL\n```\nEVIL",
		"A\r\n```\r\nEVIL\r\n```\r\nB",
		"A\n> EVIL\n\nB",
		"A\n> x\nEVIL\n\nB",
		"A\n  > EVIL\n\nB",
		"A\n- > EVIL\n- B",
		"A\n\n    EVIL\n    EVIL\n\nB",
		"A\n\n\tEVIL\nB",
		"A <!-- EVIL --> B",
		"A <!-- x\nEVIL\n--> B",
		"A <!-- EVIL",
		"A <pre>EVIL</pre> B",
		"A <doc>x</doc> EVIL</doc> B",
		"A <system-reminder>\nEVIL\n</system-reminder> B",
		"A <a><a>x</a>EVIL</a> B <a>",
		"A `EVIL` B",
		"A ``x ` EVIL`` B",
		"A `x\nEVIL` B",
		`A "EVIL" B`,
		`A "x "y" EVIL" B`,
		"A: \"\n\nEVIL\n\"\nB",
		`A "EVIL`,
		`A 'EVIL' B`,
		"A ‘EVIL’ B",
		"A “EVIL” B",
		"A „EVIL“ B",
		"A «EVIL» B",
		"A 「EVIL」 B",
		"A\nTypeError: EVIL\nB",
		"A\nerror[E0425]: EVIL\nB",
		"A\nfatal: EVIL\nB",
		"A\n    at run (/w/a.js:1:2) EVIL\nB",
		"A\nsrc/a.go:12:3: EVIL\nB",
		"A\n2026-01-02 10:00:00 EVIL\nB",
		"A\n--- FAIL: EVIL\nB",
		"A\n$ echo EVIL\nB",
	} {
		got := OwnWords(text)
		if strings.Contains(got, "EVIL") {
			t.Errorf("OwnWords(%q) = %q, want no EVIL", text, got)
		}
		if !strings.HasPrefix(got, "A") {
			t.Errorf("OwnWords(%q) = %q, want it to begin with A", text, got)
		}
		if strings.Contains(text, "B") && !strings.Contains(got, "B") {
			t.Errorf("OwnWords(%q) = %q, want B in it", text, got)
		}
	}
}

// What only looks like a quotation is left as it is.
func TestOwnWordsKeepsWhatIsSaid(t *testing.T) {
	for _, text := range []string{
		"",
		"Decision: we use the pool",
		"a list:\n- one\n    - two\n  three\n1. four",
		"it's the users' own, don't",
		"a < b and b > c, Vec<T> too",
		"a 5\" disk and a 3\" one",
		"one ` alone",
		"# heading\n\n* item\n\n  more of it",
		"2 > 1\nx -> y",
		"the error: it is gone",
		"see a.go:12 for more\n- failed at night",
	} {
		if got := OwnWords(text); got != text {
			t.Errorf("OwnWords(%q) = %q, want it unchanged", text, got)
		}
	}
}

func TestOwnSentences(t *testing.T) {
	text := "Let's use `pgx`. Does it work? \"Yes. It does.\" \n> No\n\nv1.2 is out!\nlast"
	want := []Sentence{
		{Text: "Let's use `pgx`", Own: "Let's use      "},
		{Text: "Does it work", Own: "Does it work", Question: true},
		{Text: "v1.2 is out", Own: "v1.2 is out"},
		{Text: "last", Own: "last"},
	}
	got := OwnSentences(text)
	if !slices.Equal(got, want) {
		t.Errorf("OwnSentences(%q) = %+v, want %+v", text, got, want)
	}
}

// Offsets in the result are offsets in the text, whatever the text is.
func TestOwnWordsKeepsOffsets(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", " ", "\n", "\n\n", "```", "~~~", "`", `"`, "'", ">", "<!--", "-->", "<x>", "</x>", "“", "”", "    ", "- ", "é", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		got := OwnWords(text)
		if len(got) != len(text) {
			t.Fatalf("OwnWords(%q) has %d bytes, want %d", text, len(got), len(text))
		}
		for i := range len(text) {
			if got[i] != text[i] && (got[i] != ' ' || text[i] == '\n') {
				t.Fatalf("OwnWords(%q) = %q, which differs at %d by more than a blank", text, got, i)
			}
		}
	})
}

func FuzzOwnWords(f *testing.F) {
	f.Add("A\n```\nx\n```\n> y\n<b>z</b> \"q\" `c` <!-- d -->")
	f.Fuzz(func(t *testing.T, text string) {
		got := OwnWords(text)
		if len(got) != len(text) {
			t.Errorf("OwnWords(%q) has %d bytes, want %d", text, len(got), len(text))
		}
	})
}

func TestTyped(t *testing.T) {
	paste := strings.Repeat("pasted words\n", 300)
	for _, c := range [][2]string{
		{"Fix it.\n\nNow.", "Fix it.\n\nNow."},
		{"Implement the following plan:\n\n# Plan\nLet's use pgx", ""},
		{"Look at this:\n\n" + paste + "\n\nand fix it", "Look at this:\n\nand fix it"},
		{"Look at this:\n\n" + paste, "Look at this:"},
		{paste, ""},
	} {
		if got := Typed(c[0]); got != c[1] {
			t.Errorf("Typed(%.40q) = %q, want %q", c[0], got, c[1])
		}
	}
}

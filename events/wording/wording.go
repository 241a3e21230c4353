// Package wording puts texts, paths and durations into the form in which they are kept, shown or told: cut to a bound, on
// one line, without what acts on a screen.
//
// There is one function for each meaning. What is cut is measured either in bytes, where memory is bounded ([Clip]), or in
// characters, where somebody reads it ([Chars], [Cut], [Short], [Ends]). A character is a Unicode code point. Columns of a
// terminal, where one character may take two, are measured by package cmdline.
//
//	Clip     bytes        keeps lines   nothing stands for the rest
//	Chars    characters   keeps lines   nothing stands for the rest
//	Cut      characters   keeps lines   the given end, inside the bound
//	Short    characters   one line      "…", inside the bound; control characters go
//	Ends     characters   one line      "…" stands for the middle, inside the bound; control characters go
//	Flat     all          one line
package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip returns at most the first n bytes of a text, without half a character at the end. Invalid UTF-8 is taken out of a
// text that is cut, and stays in one that is not.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// Chars returns at most the first n characters of a text.
func Chars(text string, n int) string {
	if len(text) <= n {
		return text
	}

	count := 0
	for at := range text {
		if count == n {
			return text[:at]
		}
		count++
	}
	return text
}

// Cut returns at most n characters of a text. The last ones of a text that is cut are the given end, so that a reader sees
// that something is missing; end has at most n characters.
func Cut(text string, n int, end string) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return Chars(text, n-utf8.RuneCountInString(end)) + end
}

// Short returns at most n characters of a text on one line: each run of white space and control characters becomes one
// blank, and those around the text go. A text that is cut ends in "…", which is the last of the n characters. Of a longer
// text only the first 16·n bytes are looked at.
func Short(text string, n int) string { return Cut(clean(Clip(text, 16*n)), n, "…") }

// Ends returns at most n characters of a text on one line, as [Short] does, but of a text that is cut the first two thirds and the
// last third of them, with " … " between: who asks for something at length comes to the point at the end. Of a text of many
// megabytes only the ends are looked at.
func Ends(text string, n int) string {
	if len(text) > 32*n {
		text = Clip(text, 16*n) + " " + strings.ToValidUTF8(text[len(text)-16*n:], "")
	}
	line := clean(text)
	characters := utf8.RuneCountInString(line)
	if characters <= n {
		return line
	}

	const between = " … "
	last := n / 3
	first := n - last - utf8.RuneCountInString(between)
	behind := line[len(Chars(line, characters-last)):]
	return strings.TrimSpace(Chars(line, first)) + between + strings.TrimSpace(behind)
}

// clean returns a text on one line: each run of white space and control characters is one blank, and those around the text go.
func clean(text string) string {
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(text, blank), " ")
}

// Flat returns a whole text on one line: each run of white space becomes one blank, and that around the text goes. Other
// control characters stay.
func Flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// Hidden reports whether a character is not seen but acted upon or read: the control characters, ends of lines and tabs
// among them, those that turn the direction of writing, those without a width, and Unicode's tags and variation selectors,
// which spell words that only a model reads.
func Hidden(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' || r == 0x7F
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // signs of Arabic numbers, which are seen
		return false
	case 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// InColour is the variation selector that has a sign shown in colour: ⚠️ for ⚠.
const InColour = '\uFE0F'

// Visible returns a text without its hidden characters, see [Hidden]; ends of lines and tabs stay, and right behind a sign
// the one that has it shown in colour.
func Visible(text string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		ofSign := r == InColour && unicode.Is(unicode.So, before)
		before = r
		if Hidden(r) && r != '\n' && r != '\t' && !ofSign {
			return -1
		}
		return r
	}, text)
}

// Below returns a path relative to a folder that it lies in, and any other path as it is. Both are separated by slashes; no
// folder is asked of the file system.
func Below(folder, file string) string {
	if folder == "" {
		return file
	}
	return strings.TrimPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// WordByte reports whether a byte is a letter, a digit or an underscore of ASCII.
func WordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

package wording

import (
	"regexp"
	"slices"
	"strings"
)

// maxCount is how many bytes after its number a count may have.
const maxCount = 40

// LastCounts returns the last n counts of a text, in its order: a number, a blank and a word, such as "3 passed". form
// matches a count from its number on, so it begins with ^\d+ and a blank; it sees the 40 bytes after the number. A search
// for the form itself would try every byte of an output that may have megabytes.
func LastCounts(text string, form *regexp.Regexp, n int) []string {
	var found []string
	end := len(text)
	for len(found) < n {
		blank := strings.LastIndexByte(text[:end], ' ')
		if blank < 0 {
			break
		}
		end = blank

		begin := blank
		for begin > 0 && '0' <= text[begin-1] && text[begin-1] <= '9' {
			begin--
		}
		partOfWord := begin > 0 && WordByte(text[begin-1])
		if begin == blank || partOfWord {
			continue
		}

		count := form.FindString(text[begin:min(len(text), blank+maxCount)])
		if count != "" {
			found = append(found, count)
		}
	}
	slices.Reverse(found)
	return found
}

package cmdline

import "strings"

// Nearest is the candidate that was probably meant by a word: one that begins with it, else the one
// that the fewest slips of the keyboard make of it, up to two and less than half of the word; "" when
// none is near.
func Nearest(word string, candidates []string) string {
	best, least := "", min(3, (len(word)+1)/2)
	for _, c := range candidates {
		if len(word) > 1 && strings.HasPrefix(c, word) {
			return c
		}
		if n := slips(strings.ToLower(word), c); n < least {
			best, least = c, n
		}
	}
	return best
}

// slips counts the letters to put in, to take out and to replace (Levenshtein), by bytes.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

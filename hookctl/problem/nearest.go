package problem

import "strings"

// Nearest returns the candidate that was probably meant by a word, for the hint `did you mean …?`: one that begins with it, else the one
// that the fewest slips of the keyboard make of it, of two equals the first. Up to two slips count, up
// to a third of a longer candidate's letters, and less than half of the word's; "" when none is near.
// Upper and lower case are the same in the word; candidates are in lower case.
func Nearest(word string, candidates []string) (best string) {
	word = strings.ToLower(word)
	least := (len(word) + 1) / 2
	for _, c := range candidates {
		if len(word) > 1 && strings.HasPrefix(c, word) {
			return c
		}
		within := min(least, max(2, len(c)/3)+1)
		if len(word)-len(c) < within { // each letter too many is a slip: a word of megabytes is not compared
			if n := slips(word, c); n < within {
				best, least = c, n
			}
		}
	}
	return best
}

// slips returns the number of letters to put in, to take out, to replace and to swap with their neighbour (optimal
// string alignment), by bytes.
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i*j == 0 {
				rows[i][j] = i + j
				continue
			}

			replace := 1
			if a[i-1] == b[j-1] {
				replace = 0
			}
			n := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				n = min(n, rows[i-2][j-2]+1)
			}
			rows[i][j] = n
		}
	}
	return rows[len(a)][len(b)]
}

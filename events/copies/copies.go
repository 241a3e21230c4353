// Package copies changes lists without touching them: each function returns another list. A fold needs that, since the
// state before a record must stay as it was, and so may share no element that is written.
package copies

import "slices"

// Push returns a list with one entry more at its end, and of that the last n entries.
func Push[T any](list []T, entry T, n int) []T {
	list = append(slices.Clip(list), entry)
	return list[max(0, len(list)-n):]
}

// Take returns a list without the entries that match, and the last of those; the zero value where none matches.
func Take[T any](list []T, matches func(T) bool) (rest []T, taken T) {
	for _, entry := range list {
		if matches(entry) {
			taken = entry
		} else {
			rest = append(rest, entry)
		}
	}
	return rest, taken
}

// Newest returns the last n entries of a list; a list that has no more is returned itself.
func Newest[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return slices.Clone(list[len(list)-n:])
}

package events

import (
	"regexp"

	"hookline/events/copies"
	"hookline/events/wording"
)

// Functions that the projections still call by their former names.

// Clip is [wording.Clip].
func Clip(text string, n int) string { return wording.Clip(text, n) }

// Short is [wording.Short].
func Short(text string, n int) string { return wording.Short(text, n) }

// Below is [wording.Below].
func Below(folder, file string) string { return wording.Below(folder, file) }

// LastCounts is [wording.LastCounts].
func LastCounts(text string, form *regexp.Regexp, n int) []string {
	return wording.LastCounts(text, form, n)
}

// Take is [copies.Take].
func Take[T any](list []T, matches func(T) bool) (rest []T, taken T) {
	return copies.Take(list, matches)
}

// Push is [copies.Push].
func Push[T any](list []T, entry T, n int) []T { return copies.Push(list, entry, n) }

// Newest is [copies.Newest].
func Newest[T any](list []T, n int) []T { return copies.Newest(list, n) }

package identity

import (
	"encoding/json"
	"sort"
)

// MaxEncoded is the size of a snapshot in bytes that must not be exceeded (S0 ERR-09).
const MaxEncoded = 30 << 10

// Encode is the snapshot as it lies in a bucket: one JSON object with S0 Appendix B's field names.
// Every state that [Fold] makes can be encoded; one with a value that is not finite gives nil.
func Encode(s State) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return b
}

// TooLarge gives the encoded size and, where that is above [MaxEncoded], how many of the oldest
// trajectory entries must go; 0 when it fits. The limits of a state make a folded one fit always,
// so this is the second wall for cells of other makers.
func TooLarge(s State) (size, drop int) {
	size = len(Encode(s))
	if size <= MaxEncoded {
		return size, 0
	}
	drop = sort.Search(len(s.Trajectory), func(n int) bool {
		less := s
		less.shorten(n)
		return len(Encode(less)) <= MaxEncoded
	})
	return size, drop
}

package events

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"hookline/events/wording"
)

// DerivedID is the id of the n-th event (1…) that follows from the one with the given ULID. It is a
// pure function, so a frame that is delivered twice derives the same ids and counts once. An id
// that is no ULID is returned with "-n" after it; such ids only occur in hand-made logs.
func DerivedID(id string, n int) string {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return id + "-" + strconv.Itoa(n)
	}
	low := binary.BigEndian.Uint64(u[8:])
	binary.BigEndian.PutUint64(u[8:], low+uint64(n))
	return u.String()
}

// IDTime is the Unix millisecond that a ULID carries, false when id is no ULID.
func IDTime(id string) (int64, bool) {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return 0, false
	}
	return int64(u.Time()), true
}

// Alias is the short form of a session id that people see: dashes dropped, the first eight characters.
func Alias(session string) string {
	letters := []rune(strings.ReplaceAll(session, "-", ""))
	return string(letters[:min(8, len(letters))])
}

// Shown is a session id as it may stand in a text for the model: letters, digits and "._:-", at most 100 of them. The
// rest of an id that somebody made up is left out, since it would read as words of ours; "…" stands for it.
func Shown(session string) string {
	end := strings.IndexFunc(session, func(r rune) bool {
		return r >= utf8.RuneSelf || !wording.WordByte(byte(r)) && !strings.ContainsRune(".:-", r)
	})
	if end < 0 {
		end = len(session)
	}
	if end = min(end, 100); end == len(session) {
		return session
	}
	return session[:end] + "…"
}

// StableID is a ULID of a time that the same key always gives, so that what is made twice is one event.
func StableID(at time.Time, key string) string {
	var id ulid.ULID
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(0, at.UnixMilli())))
	copy(id[:6], ms[2:])
	sum := sha256.Sum256([]byte(key))
	copy(id[6:], sum[:10])
	return id.String()
}

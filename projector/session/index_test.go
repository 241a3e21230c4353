package session

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// The hint is in each state that has words and in no other, whatever the session's own texts are.
func TestWordsHint(t *testing.T) {
	for status, want := range map[string]bool{Live: true, Ended: false, Reaped: false, Deleted: false} {
		s := State{ID: "s-1", Status: status, Branch: WordsHint}
		b := expect.Value(json.Marshal(s))(t)
		if got := strings.Contains(string(b), WordsHint); got != want || len(Words(s)) > 0 != want {
			t.Errorf("%s: %v, words %q, in %s", status, got, Words(s), b)
		}
	}
}

func TestWords(t *testing.T) {
	s := State{Status: Live, Project: "p", Processes: []Process{{PID: 6}, {PID: 7, Start: 1}}}
	if got := Words(s); !slices.Equal(got, []string{Alive, AliveIn("p"), RunBy(7)}) {
		t.Errorf("%q", got)
	}
}

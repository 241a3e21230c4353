//go:build unix

package daemon

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// A time of capture is not disturbed by what came late.
func TestPastTimes(t *testing.T) {
	d := opened(t)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for i, minute := range []time.Duration{0, 1, 2, 90, 3, 4} { // the fourth is of a clock that was ahead, and two came after it
		env := events.Envelope{ID: fmt.Sprint(i + 1), Type: events.TypeTurnStopped, Version: 1, Time: at.Add(minute * time.Minute), Session: "s", Data: []byte(`{}`)}
		expect.Value(d.rec.Import(t.Context(), []events.Envelope{env}))(t)
	}
	for after, want := range map[time.Duration]int{-time.Second: 0, 0: 1, 90 * time.Second: 2, 3 * time.Minute: 5, time.Hour: 6, 2 * time.Hour: 6} {
		_, got := ask(t, d, "GET", "/v1/at?projection=latest&point="+url.QueryEscape(at.Add(after).Format(time.RFC3339Nano)), "")
		expect.Equal(t, got, fmt.Sprintf(`{"cells":[],"seq":%d}`, want), after)
	}
}

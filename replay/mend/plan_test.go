package mend

import (
	"testing"
	"time"

	"hookline/events"
)

// The recovery comes behind the snapshot that it replaces, also where the clock is behind that; its facts have the clock's
// own time then.
func TestEnvelopes(t *testing.T) {
	now := time.Date(2026, 11, 19, 9, 0, 0, 5_900_000, time.UTC)
	for _, c := range []struct {
		after    int64
		at       string
		captured int64
	}{
		{now.Add(-time.Hour).UnixMilli(), "2026-11-19T09:00:00.005Z", 0},
		{now.Add(time.Hour).UnixMilli(), "2026-11-19T10:00:00.006Z", 1_795_078_800_005},
	} {
		list := []events.Event{&events.IdentityRecovered{Session: "s-0"}, &events.IdentityPersisted{Reason: "command"}}
		envs, err := envelopes(Recovered{Target: "s-1", Project: "p"}, list, now, c.after)
		if err != nil || len(envs) != 2 {
			t.Fatal(envs, err)
		}
		ms, _ := events.IDTime(envs[0].ID)
		for i, env := range envs {
			if got := env.Time.Format(time.RFC3339Nano); got != c.at || env.Session != "s-1" || env.Project != "p" || env.Correlation != "s-1" || ms != env.Time.UnixMilli() {
				t.Errorf("%d: %s %+v", i, got, env)
			}
			if captured := env.Facts; (captured == nil) != (c.captured == 0) || captured != nil && captured.Captured != c.captured {
				t.Errorf("%d: %+v", i, env.Facts)
			}
		}
		if envs[0].Causation != "" || envs[0].Type != "identity.recovered" || envs[1].Causation != envs[0].ID || envs[1].Type != "identity.persisted" {
			t.Errorf("%+v", envs)
		}
	}
}

//go:build unix

package daemon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A session that waits in the middle of its work is told of once, until it stands in another way.
func TestNotify(t *testing.T) {
	var mu sync.Mutex
	var got []Notice
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n Notice
		err := json.NewDecoder(r.Body).Decode(&n)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			got = append(got, n)
		}
	}))
	defer server.Close()
	d := opened(t)
	d.opts.Notify = server.URL

	round := func() {
		d.keeper.notify(t.Context())
		d.effects.Wait()
	}
	hook := func(name, more string) {
		take(t, d, hookFrame(`{"session_id":"s-1","hook_event_name":"`+name+`"`+more+`}`))
	}
	hook("SessionStart", `,"source":"startup"`)
	hook("UserPromptSubmit", `,"prompt":"Send it"`)
	round()
	hook("StopFailure", `,"error":"rate_limit"`)
	round()
	round()
	hook("UserPromptSubmit", `,"prompt":"Again"`)
	round()
	hook("StopFailure", `,"error":"overloaded"`)
	round()

	want := []Notice{{Session: "s-1", Title: "Send it", Kind: "limit", Words: "its last turn failed at a limit: rate_limit"},
		{Session: "s-1", Title: "Send it", Kind: "api_error", Words: "its last turn failed: API error overloaded"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A notification that fails says so without the place it went to.
func TestNotifyFails(t *testing.T) {
	for _, to := range []string{"http://127.0.0.1:1/SECRET", "https://%zz/SECRET", "/no/such/SECRET", "false SECRET", " "} {
		err := sendNotice(t.Context(), to, Notice{})
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", to, err)
		}
	}
}

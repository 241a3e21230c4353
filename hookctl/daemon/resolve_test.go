//go:build unix

package daemon

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A whole id is a session's, also where it begins another's; a part of it is one where it is of one session alone.
func TestResolveSession(t *testing.T) {
	d := open(t, newHome(t))
	take(t, d, startOf("aaaaaaaa-1"))
	take(t, d, startOf("aaaaaaaa-12"))
	take(t, d, startOf("bbbbbbbb-1"))
	for given, want := range map[string]string{"": "", "aaaaaaaa-1": "aaaaaaaa-1", "aaaaaaaa-12": "aaaaaaaa-12", "bbbb": "bbbbbbbb-1"} {
		if got, err := d.resolveSession(t.Context(), given); got != want || err != nil {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
	for given, want := range map[string]string{"aaaa": `"aaaa" is ambiguous: aaaaaaaa-1, aaaaaaaa-12`, "c": `there is no session "c"`} {
		if _, err := d.resolveSession(t.Context(), given); err == nil || err.Error() != want {
			t.Errorf("%q: %v", given, err)
		}
	}
}

// Events by their sequences come in the order asked for, cells by their keys; what is not there is left out.
func TestChosen(t *testing.T) {
	d := open(t, newHome(t))
	take(t, d, startOf("aaaaaaaa-1"))
	take(t, d, startOf("bbbbbbbb-1"))
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	status, text := get("/v1/events?seq=2,99,1")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if status != http.StatusOK || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"seq":2,`) || !strings.HasPrefix(lines[1], `{"seq":1,`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := get("/v1/events?seq=1,x"); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, text)
	}
	status, text = get("/v1/cells/session?key=bbbbbbbb-1&key=nobody")
	if status != http.StatusOK || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, `{"key":"bbbbbbbb-1",`) {
		t.Errorf("%d %s", status, text)
	}
}

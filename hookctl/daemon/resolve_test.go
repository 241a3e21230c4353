//go:build unix

package daemon

import (
	"net/http"
	"strings"
	"testing"
)

// Events by their sequences come in the order asked for, cells by their keys; what is not there is left out.
func TestChosen(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("aaaaaaaa-1"))
	take(t, d, startOf("bbbbbbbb-1"))
	status, text := ask(t, d, "GET", "/v1/events?seq=2,99,1", "")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if status != http.StatusOK || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"seq":2,`) || !strings.HasPrefix(lines[1], `{"seq":1,`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := ask(t, d, "GET", "/v1/events?seq=1,x", ""); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, text)
	}
	status, text = ask(t, d, "GET", "/v1/cells/session?key=bbbbbbbb-1&key=nobody", "")
	if status != http.StatusOK || strings.Count(text, "\n") != 0 || !strings.HasPrefix(text, `{"key":"bbbbbbbb-1",`) {
		t.Errorf("%d %s", status, text)
	}
}

//go:build unix

package daemon

import (
	"net/http"
	"strings"
	"testing"

	"hookline/expect"
)

// Events by their sequences come in the order asked for, cells by their keys; what is not there is left out.
func TestChosen(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("aaaaaaaa-1"))
	take(t, d, startOf("bbbbbbbb-1"))
	_, text := ask(t, d, "GET", "/v1/events?seq=2,99,1", "")
	if first, second, _ := strings.Cut(text, "\n"); !strings.HasPrefix(first, `{"seq":2,`) || !strings.HasPrefix(second, `{"seq":1,`) || strings.Contains(second, "\n") {
		t.Error(text)
	}
	status, _ := ask(t, d, "GET", "/v1/events?seq=1,x", "")
	expect.Equal(t, status, http.StatusBadRequest)
	expect.Equal(t, strings.Join(cellKeys(t, d, "key=bbbbbbbb-1&key=nobody"), " "), "bbbbbbbb-1")
}

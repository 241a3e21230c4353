package daemon

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The error of a request whose client is gone goes nowhere: a part of the answer may be on its way.
func TestFailWithoutClient(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/events", nil)
	cancel()
	w := httptest.NewRecorder()
	(&Daemon{}).fail(w, r, errors.New("write: broken pipe"))
	if w.Body.Len() > 0 || w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

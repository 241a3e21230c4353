//go:build unix

package daemon

import (
	"strings"
	"testing"

	"hookline/expect"
)

// Every endpoint of package api has a handler, and beside them there are the hooks and the metrics only.
func TestEveryEndpointHasItsHandler(t *testing.T) {
	s := opened(t).endpoints.table()
	for _, e := range s.Missing() {
		t.Errorf("%s has no handler", e)
	}
	expect.Equal(t, strings.Join(s.Undeclared(), ", "), "POST /v1/hook/, GET /metrics", "handlers of what package api does not declare")
}

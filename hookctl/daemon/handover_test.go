package daemon

import (
	"testing"

	"hookline/expect"
)

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"0.1.0-rc.10", "0.1.0-rc.9", true}, {"0.1.0-rc.9", "0.1.0-rc.10", false}, {"0.1.0+a-b", "0.1.0", false}, {"v1.0.0", "1.0.0", false}, {"-1.0.0", "-2.0.0", false}} {
		expect.Equal(t, newer(c.a, c.b), c.want, "newer", c.a, c.b)
	}
}

//go:build !unix

package embedded

import "testing"

// asNobody needs another user's rights, which this platform does not hand to a test.
func asNobody(t *testing.T, _, _ string) (string, error) {
	t.Helper()
	t.Skip("no other user to run as on this platform")
	return "", nil
}

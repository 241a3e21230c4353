//go:build !unix

package embedded

import "testing"

// openToNobody is for another user, whose rights this platform does not hand to a test.
func openToNobody(t *testing.T) string {
	t.Helper()
	t.Skip("no other user to run as on this platform")
	return ""
}

func asNobody(*testing.T, string, string) (string, error) { return "", nil }

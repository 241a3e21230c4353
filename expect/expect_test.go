package expect

import (
	"fmt"
	"strings"
	"testing"
)

// recorder is a test that only keeps its messages.
type recorder struct {
	messages []string
	ended    bool
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.messages = append(r.messages, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.ended = true
}

func TestEqualSaysWhatDiffers(t *testing.T) {
	var r recorder
	Equal(&r, 1, 1, "count")
	Equal(&r, "a ", "a", "title of", "plan")
	EqualNow(&r, 2, 3)

	want := []string{"title of plan\ngot  \"a \"\nwant \"a\"", "value\ngot  2\nwant 3"}
	if strings.Join(r.messages, "|") != strings.Join(want, "|") {
		t.Errorf("messages = %q, want %q", r.messages, want)
	}
	if !r.ended {
		t.Error("EqualNow let the test go on")
	}
}

// A failure shows where two documents differ, not the documents.
func TestEqualOfLongValuesIsShort(t *testing.T) {
	same := strings.Repeat("x", 10_000)
	var r recorder
	Equal(&r, same+"left"+same, same+"right"+same, "page")

	message := r.messages[0]
	if len(message) > 1200 {
		t.Errorf("message has %d bytes, want at most 1200", len(message))
	}
	for _, part := range []string{"page, from byte 10001 of", "left", "right"} {
		if !strings.Contains(message, part) {
			t.Errorf("message = %q, want %q in it", message, part)
		}
	}
}

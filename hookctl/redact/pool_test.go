package redact

import (
	"fmt"
	"sync"
	"testing"
)

// A pass that was used before finds what a new one finds, and never writes into spans that it gave away.
func TestUsedPassIsAsNew(t *testing.T) {
	texts := []string{"", "/home/dev/app", "api_key=0123456789abcdefQWERTY", "password: hunter2hunter2\nexport DB_PASSWORD='s3cr3t-s3cr3t'",
		`{"a":"--token \u0041bcdefgh12345678 x"}`, "https://me:pa55word@example.com/?sig=0123456789abcdef0123", "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"}
	want := make([]string, len(texts))
	for i, text := range texts {
		out, rep := New().Text([]byte(text))
		want[i] = fmt.Sprintf("%s %+v", out, rep)
	}
	used := New()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 200 {
				i := (g + n) % len(texts)
				out, rep := used.Text([]byte(texts[i]))
				if got := fmt.Sprintf("%s %+v", out, rep); got != want[i] {
					t.Errorf("%q gives %s, want %s", texts[i], got, want[i])
				}
			}
		})
	}
	all.Wait()
}

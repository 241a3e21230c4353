package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"hookline/expect"
)

// TestList lists this test program's own modules, twice alike.
func TestList(t *testing.T) {
	self := expect.Value(os.Executable())(t)
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		expect.OK(t, list(out, "1.2.3", []string{self}))
	}
	if first.String() != second.String() {
		t.Error("the same program gives two lists")
	}
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"version": "1.2.3"`, `"pkg:golang/github.com/CycloneDX/cyclonedx-go@v`, `"pkg:golang/std@`} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("no %s in\n%s", want, first.String())
		}
	}
	if err := list(&first, "1", []string{os.DevNull}); err == nil {
		t.Error("a file that is no program is listed")
	}
}

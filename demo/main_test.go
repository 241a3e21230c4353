package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Into a pipe or a file goes no colour, whatever the environment says.
func TestColoured(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if coloured(file, func(string) string { return "" }) {
		t.Error("a file is no terminal")
	}
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	n, err := fmt.Fprintf(plain{&out}, "\x1b[1;32m$\x1b[0m \x1b[1m%s\x1b[0m\n", "hookctl tail")
	if out.String() != "$ hookctl tail\n" || n != 34 || err != nil {
		t.Errorf("%q, %d, %v", out.String(), n, err)
	}
}

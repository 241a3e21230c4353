package main

import (
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

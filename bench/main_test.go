package main

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

// TestMain makes the test binary a program to run: "echo" tells how much it read and exits 3,
// "sleep" is there to be killed.
func TestMain(m *testing.M) {
	switch os.Getenv("HOOKLINE_BENCH_CHILD") {
	case "echo":
		in, _ := io.ReadAll(os.Stdin)
		fmt.Print(len(in))
		fmt.Fprint(os.Stderr, "words")
		os.Exit(3)
	case "sleep":
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

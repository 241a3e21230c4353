// Hookctl is what Claude Code starts on every hook: it sends one request to hookd and prints the
// answer. Every verb for people is hookd's.
package main

import (
	"os"

	"hookline/hookctl/wire"
)

func main() { os.Exit(wire.Run(os.Args[1:])) }

// Replay is the recovery tool of hookline: it checks the projections against the log, folds them
// again, and shows any state at any past point, with or without a running daemon.
package main

import (
	"os"

	"hookline/replay/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }

// Hookd is the program that hookctl starts: the daemon, the delivery when the daemon cannot be reached, and every verb for
// people.
// Hooks are answered as hookctl does, so one file installed as hookctl is a whole installation.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"hookline/hookctl/daemon"
	"hookline/hookctl/deliver"
	"hookline/hookctl/verbs"
	"hookline/hookctl/wire"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if wire.IsHook(args) {
		self, err := os.Executable()
		if err != nil {
			self = "" // looked for on the PATH when needed
		}
		return wire.Hook(args, self)
	}
	if len(args) > 0 && args[0] == "deliver" {
		return deliver.Command(args[1:])
	}
	if len(args) > 0 && args[0] == "serve" {
		ends := []os.Signal{syscall.SIGTERM, os.Interrupt}
		if !signal.Ignored(syscall.SIGHUP) { // under nohup it is, and stays so
			ends = append(ends, syscall.SIGHUP)
		}
		ctx, stop := signal.NotifyContext(context.Background(), ends...)
		defer stop()
		return daemon.Serve(ctx)
	}
	return verbs.Main(args, daemon.Here)
}

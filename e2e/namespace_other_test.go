//go:build !linux

package e2e

import (
	"errors"
	"os/exec"
)

var errNotLinux = errors.New("network namespaces: only Linux has them")

func isolate(*exec.Cmd) {}

// Namespaces returns why this machine cannot isolate a process.
func Namespaces() error { return errNotLinux }

func loopbackUp() error { return errNotLinux }

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

package main

import (
	"fmt"
	"io"
	"os/exec"
)

// process stands for a client: it lives as long as its session, and its end is all that anybody sees of that.
type process struct {
	cmd   *exec.Cmd
	input io.Closer
}

// newProcess starts one; the client of a fork was started to resume its origin.
func newProcess(origin string) (*process, error) {
	args := []string{"-c", "read line", "claude"}
	if origin != "" {
		args = append(args, "--resume", origin, "--fork-session")
	}
	cmd := exec.Command("sh", args...)
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to a client: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a client: %w", err)
	}
	return &process{cmd: cmd, input: input}, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// end ends the process and returns when it is gone.
func (p *process) end() {
	_ = p.input.Close()
	_ = p.cmd.Wait() // it read the end of its input: its status says nothing
}

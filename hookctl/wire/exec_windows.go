package wire

import (
	"os"
	"syscall"
)

const exe = ".exe"

// Become runs another program as a child, since Windows has no exec.
func Become(program string, args []string) int {
	p, err := os.StartProcess(program, append([]string{program}, args...), &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err == nil {
		var state *os.ProcessState
		if state, err = p.Wait(); err == nil {
			return state.ExitCode()
		}
	}
	os.Stderr.WriteString("hookctl: error: run " + program + ": " + err.Error() + "\n")
	return 1
}

// ownSession starts the delivery in a process group of its own.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// stdin is the process's stdin, whose pipes have no reads that end at a deadline here.
func stdin() *os.File { return os.Stdin }

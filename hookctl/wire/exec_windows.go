package wire

import (
	"os"
	"syscall"
)

const exe = ".exe"

// Become runs another program as a child, since Windows has no exec, and returns its exit code.
func Become(program string, args []string) int {
	code, err := runChild(program, args)
	if err != nil {
		os.Stderr.WriteString("hookctl: error: run " + program + ": " + err.Error() + "\n")
		return 1
	}
	return code
}

func runChild(program string, args []string) (code int, err error) {
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	process, err := os.StartProcess(program, append([]string{program}, args...), attr)
	if err != nil {
		return 0, err
	}

	state, err := process.Wait()
	if err != nil {
		return 0, err
	}
	return state.ExitCode(), nil
}

// detached starts the delivery in a new process group, so that the client does not kill it with the hook.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// stdin returns the process's stdin; on Windows the reads of a pipe cannot end at a deadline.
func stdin() *os.File { return os.Stdin }

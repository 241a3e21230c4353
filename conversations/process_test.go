//go:build linux

package conversations

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Processes are ended by id, and only when they are known to be of this conversation: a daemon's
// environment holds its home.

// runs reports whether a process exists. A zombie does not, unless it still has threads: they hold its locks.
func runs(pid int) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return false
	}
	threads, _ := os.ReadDir(filepath.Join(proc, "task"))
	return stateOf(stat) != 'Z' || len(threads) > 1
}

// stateOf returns the letter of a process's or thread's state: it stands behind the name in parentheses.
func stateOf(stat []byte) byte {
	return bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])[0]
}

// stopped waits for SIGSTOP to reach the threads: one that still runs would take another frame.
func stopped(pid int) error {
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	for _, path := range threads {
		if stat, err := os.ReadFile(path); err == nil && stateOf(stat) != 'T' {
			return fmt.Errorf("%s: still runs", path)
		}
	}
	return nil
}

// carries reports whether a process has home as its HOOKLINE_HOME; true where that cannot be seen, as of a process that has
// given up its memory and not yet its files.
func carries(pid int, home string) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil || len(env) == 0 {
		return err == nil
	}
	return bytes.Contains(append([]byte{0}, env...), []byte("\x00HOOKLINE_HOME="+home+"\x00"))
}

// processesOf lists the processes with a home below folder.
func processesOf(folder string) []int {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, path := range entries {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte("HOOKLINE_HOME="+folder+"/")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// endAll ends what a conversation below folder left behind.
func endAll(folder string) {
	quiet := 0
	_ = eventually(func() error {
		pids := processesOf(folder)
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is as good
		}
		if quiet++; len(pids) > 0 {
			quiet = 0
		}
		if quiet < 4 { // a process that is just being started shows no environment for a moment
			return syscall.EBUSY
		}
		return nil
	})
}

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Process is a running process.
type Process struct {
	PID  int
	Name string // the kernel's name of it, at most 15 bytes
	Args []string
	Env  []string
}

// ProcessesOf lists the processes, other than this one, that belong to a recorder's home: HOOKLINE_HOME in their
// environment is state, or an argument names state or something in it. It reads /proc, so a process of somebody else, a
// zombie, or one that ends meanwhile is not listed.
func ProcessesOf(state string) ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		p := readProcess(pid)
		if p.belongs(state) {
			found = append(found, p)
		}
	}
	return found, nil
}

func readProcess(pid int) Process {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	fields := func(name string) []string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(text) == 0 {
			return nil
		}
		return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	}
	name, _ := os.ReadFile(filepath.Join(dir, "comm")) // a process that is gone has none, and no arguments either
	return Process{PID: pid, Name: strings.TrimSpace(string(name)), Args: fields("cmdline"), Env: fields("environ")}
}

func (p Process) belongs(state string) bool {
	if slices.Contains(p.Env, "HOOKLINE_HOME="+state) {
		return true
	}
	return slices.ContainsFunc(p.Args, func(arg string) bool {
		return arg == state || strings.Contains(arg, state+string(filepath.Separator))
	})
}

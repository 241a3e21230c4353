package facts

import (
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxAncestors bounds the walk upwards: client, shell, wrapper, hook are four.
const maxAncestors = 32

// ClientOf finds the process of the client that started a hook: the one named by CLAUDE_PID when it
// is alive, else the first from ppid upwards that looks like the client, else none. guessed reports whether it was found by
// its looks. Older clients, 2.1.197 among them, set no CLAUDE_PID and start hooks through a shell.
func ClientOf(envPID string, ppid int) (p Process, guessed bool) {
	if p := named(envPID); p.Alive {
		return p, false
	}
	for p, r := range ancestors(ppid) {
		if p.Alive && looksLikeClient(r) {
			return p, true
		}
	}
	return Process{}, false
}

// Above lists the processes that may have started a program, each with its start time: the one that CLAUDE_PID
// names, then the parent and what is above it, nearest first. Whether one is a client is not looked at.
func Above(envPID string, ppid int) []Process {
	var list []Process
	if p := named(envPID); p.Alive {
		list = append(list, p)
	}
	for p := range ancestors(ppid) {
		if p.Alive {
			list = append(list, p)
		}
	}
	return list
}

// named returns the process that CLAUDE_PID names.
func named(envPID string) Process {
	pid, err := strconv.Atoi(strings.TrimSpace(envPID))
	if err != nil {
		return Process{}
	}
	return Probe(pid)
}

// ancestors yields a process and those above it, up to the first that may not be looked at. Process 1 is never the client.
func ancestors(pid int) iter.Seq2[Process, running] {
	return func(yield func(Process, running) bool) {
		for range maxAncestors {
			if pid <= 1 {
				return
			}
			r, ok := inspect(pid)
			if !yield(Probe(pid), r) || !ok || r.parent == pid {
				return
			}
			pid = r.parent
		}
	}
}

// looksLikeClient reports whether a process is the client: by its executable, by the name it gave itself, or by the script
// that a JavaScript runtime runs.
func looksLikeClient(r running) bool {
	if isClientPath(r.exe) {
		return true
	}
	if len(r.args) == 0 {
		return false
	}
	if name := program(r.args[0]); name == "claude" || name == "codex" {
		return true
	}
	return isClientPath(scriptOf(r))
}

// scriptOf returns the script that node, bun or deno runs: the first argument that is no option.
func scriptOf(r running) string {
	runtimes := []string{"node", "nodejs", "bun", "deno"}
	if len(r.args) == 0 || !slices.Contains(runtimes, program(r.exe)) && !slices.Contains(runtimes, program(r.args[0])) {
		return ""
	}
	i := slices.IndexFunc(r.args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if i < 0 {
		return ""
	}
	return r.args[1+i]
}

// isClientPath reports whether a path is the client's: …/claude, …/claude/versions/<version>, cli.js in a folder
// claude-code, and anything in the npm packages @anthropic-ai/claude-code and …/claude-code-<platform>.
// A checkout that happens to be called claude-code is none. Codex is one program of that name.
func isClientPath(file string) bool {
	if name := program(file); name == "claude" || name == "codex" || versionInPath(file) != "" {
		return true
	}
	file = slashed(file)
	return strings.HasSuffix(file, "/claude-code/cli.js") ||
		strings.Contains(file, clientPackage+"/") || strings.Contains(file, clientPackage+"-")
}

// program returns the base name of an executable without ".exe".
func program(file string) string {
	return strings.TrimSuffix(path.Base(slashed(file)), ".exe")
}

func slashed(file string) string { return strings.ReplaceAll(file, `\`, "/") }

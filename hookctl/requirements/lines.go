package requirements

import (
	"slices"
	"strings"
)

// Programs that nothing else is known about but how they are told what to run.

// runners run their arguments as a program, somewhere behind options and a verb of their own: uv run rm, npm exec -- rm.
// Containers and other machines are none: what rm removes there is not on this one.
var runners = setOf(`npm npx pnpm yarn bun bunx uv uvx poetry pipenv pdm hatch bundle mise asdf direnv conda mamba nix nix-shell op doppler dotenv dotenvx
	aws-vault wsl cmd xvfb-run ltrace dbus-run-session proxychains proxychains4 torsocks firejail arch rlwrap winpty numactl valgrind gosu su-exec setuidgid
	chpst tini dumb-init daemonize start-stop-daemon systemd-inhibit ssh-agent screen script entr ip sem perf trickle cpulimit gdb task rtk`)

// ran are the programs that are looked for among the words of a runner; those of git, gh and shells are looked for anyhow.
var ran = setOf(`rm find concurrently hyperfine`)

// lineOptions are the options of a program behind which a line for a shell stands. The first is a short one, or a dash
// where there is none.
var lineOptions = map[string][]string{
	"npx": {"-c", "--call"}, "npm": {"-c", "--call"}, "nix-shell": {"-", "--run", "--command"}, "entr": {"-s"}, "vagrant": {"-c", "--command"},
}

// lineOperands are programs of which every word with a blank in it is a line for a shell.
var lineOperands = setOf(`hyperfine concurrently tmux`)

// linesOf are the lines for a shell among a program's arguments.
func linesOf(name string, args []arg) []string {
	if options := lineOptions[name]; len(options) > 0 {
		return valuesOf(args, options[0], options[1:]...)
	}
	if lineOperands[name] {
		var lines []string
		for _, a := range args[1:] {
			if strings.ContainsAny(a.text, " \t\n") {
				lines = append(lines, a.text)
			}
		}
		return lines
	}
	var begins []string
	switch name {
	case "powershell", "pwsh":
		begins = []string{"-c", "-command"}
	case "cmd":
		begins = []string{"/c", "//c", "/k", "//k"}
	}
	i := slices.IndexFunc(args, func(a arg) bool { return slices.Contains(begins, strings.ToLower(a.text)) })
	if i < 0 {
		return nil
	}
	return []string{joined(args[i+1:])}
}

package outcome

import (
	"strings"
	"sync"
)

// The table of tools.

// tool is one row: what a tool prints.
type tool struct {
	name     string
	programs string // that print as this tool does
	kinds    string // what its passing summary proves: test, build, lint
	silent   string // first words of the commands that print nothing where all is well, "*" for all
	parts    bool   // it prints a summary for each part, and the last one does not stand for all
	last     bool   // of its counts the last line has the sum

	failing []mark // lines of a failing check
	passing []mark // summaries of a passing one
	counts  []counter
	telling []told // what says why it failed, the best first
}

// tools are the rows. A command of a program that is in none of them may print as any.
var tools = concat(goTools, rustTools, nativeTools, pythonTools, scriptTools, webTools, webBuilds, jvmTools, dotnetTools, mobileTools, rubyTools, phpTools, otherTools)

// byProgram returns the rows of each program, and all of them under "".
var byProgram = sync.OnceValue(func() map[string][]*tool {
	table := map[string][]*tool{}
	for i := range tools {
		row := &tools[i]
		table[""] = append(table[""], row)
		for _, program := range strings.Fields(row.programs) {
			table[program] = append(table[program], row)
		}
	}
	table[""] = append(table[""], &shell)
	return table
})

func concat(lists ...[]tool) []tool {
	var all []tool
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// shell is what a shell prints for a program that it does not find.
var shell = tool{
	name:    "shell",
	failing: []mark{weak(like("command not found", `^(?:/?\w+/)?(?:ba|z|da|k)?sh: .*command not found`)), weak(like(": not found", `^(?:/bin/)?sh: \d+: \S+: not found`))},
	telling: []told{{like("not found", `^(.*\S: (?:command )?not found.*)$`)}},
}

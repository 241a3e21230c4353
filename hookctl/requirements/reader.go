package requirements

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxVisits bounds how many parts of the tree are looked at for what is read and who reads it: a long pipe is walked
// from each of its bars. Beyond, the line counts as text, too.
const maxVisits = 50_000

// visit is false when there were too many.
func (s *shellLine) visit() bool {
	s.visits++
	s.lost = s.lost || s.visits > maxVisits
	return s.visits <= maxVisits
}

// reads says what a statement does with its input: a command, or the one of several that makes most of it.
func (s *shellLine) reads(n *syntax.Stmt) reading {
	s.items, s.client = nil, false
	if call, ok := n.Cmd.(*syntax.CallExpr); ok {
		args := s.args(call.Args)
		s.items, s.client = completedBy(args), asksDatabase(args)
		return readerOf(args)
	}
	if n.Cmd == nil {
		return readsAnything
	}
	most := readsText
	syntax.Walk(n.Cmd, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			args := s.args(call.Args)
			if c := completedBy(args); c != nil {
				s.items = c
			}
			s.client = s.client || asksDatabase(args)
			switch r := readerOf(args); {
			case call.Args[0].Lit() == "read":
			case r == readsScript, most == readsText:
				most = r
			}
		}
		return most != readsScript && s.visit()
	})
	return most
}

// feeds takes what a statement reads from its here-documents, here-strings and process substitutions.
func (s *shellLine) feeds(n *syntax.Stmt) {
	call, _ := n.Cmd.(*syntax.CallExpr)
	var from []*syntax.ProcSubst
	if call != nil {
		for _, w := range call.Args {
			from = append(from, substituted(w)...)
		}
	}
	for _, r := range n.Redirs {
		if r.Op == syntax.RdrIn {
			from = append(from, substituted(r.Word)...)
		}
	}
	if len(from) == 0 && len(n.Redirs) == 0 {
		return
	}
	r := s.reads(n)
	s.fed(n, r)
	for _, sub := range from {
		for _, inner := range sub.Stmts {
			s.printed(inner, r)
		}
	}
	s.items = nil
}

func substituted(w *syntax.Word) []*syntax.ProcSubst {
	var list []*syntax.ProcSubst
	for _, part := range w.Parts {
		if sub, ok := part.(*syntax.ProcSubst); ok && sub.Op == syntax.CmdIn {
			list = append(list, sub)
		}
	}
	return list
}

func (s *shellLine) fed(n *syntax.Stmt, r reading) {
	if text, ok := s.input(n); ok {
		s.read(r, text)
	}
}

// printed takes what the left of a pipe writes into the right, as far as it stands in the line.
func (s *shellLine) printed(n syntax.Node, r reading) {
	if r == readsText {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			s.fed(n, r)
		case *syntax.CallExpr:
			switch args := s.args(n.Args); {
			case len(args) < 2:
			case args[0].text == "echo" || args[0].text == "printf":
				s.read(r, printedBy(args[0].text, args[1:]))
			case printers[baseName(args[0].text)]:
				s.read(r, joined(args[1:]))
			case args[0].text == "find" && s.items != nil:
				s.read(r, joined(startsOf(args)))
			case args[0].text == "ls" && s.items != nil:
				s.read(r, joined(slices.DeleteFunc(args[1:], func(a arg) bool { return strings.HasPrefix(a.text, "-") || !strings.Contains(a.text, "*") })))
			}
		}
		return s.visit()
	})
}

// startsOf are the folders that find begins with.
func startsOf(args []arg) []arg {
	i := 1
	for i < len(args) && slices.Contains([]string{"-H", "-L", "-P"}, args[i].text) {
		i++
	}
	end := i
	for end < len(args) && !strings.HasPrefix(args[end].text, "-") && args[end].text != "(" && args[end].text != "!" {
		end++
	}
	return args[i:end]
}

func (s *shellLine) read(r reading, text string) {
	items, client, before := s.items, s.client, len(s.commands)
	defer func() { s.items, s.client = items, client }() // a script has readers of its own
	switch {
	case len(s.commands) > maxCommands:
	case r == readsScript:
		s.parse(text)
	case r == readsAnything:
		if items == nil || !items.takesText() {
			s.text(text)
			s.commands[before].sql = client
		}
		if items != nil {
			s.complete(items, text)
		}
	}
}

// reading is what a program does with its input.
type reading int

const (
	readsText     reading = iota // it is data: cat, grep, git commit -F -
	readsScript                  // a shell runs it
	readsAnything                // nobody knows: psql, python, ssh, xargs
)

// readerOf says what a command, perhaps behind wrappers, does with its input.
func readerOf(args []arg) reading {
	for range maxNested {
		if len(args) == 0 {
			return readsText
		}
		name := baseName(args[0].text)
		w, ok := wrappers[name]
		switch {
		case name == "xargs" || name == "parallel":
			return readsAnything
		case name == "sudo" && asks(args, "-s", "-i", "--shell", "--login"), name == "su", name == "at", name == "batch":
			return readsScript
		case (name == "source" || name == ".") && len(args) > 1 && standardInput[args[1].text]:
			return readsScript
		case printers[name] || masks[name]:
			return readsText
		case shells[name]:
			return shellReads(args)
		case name == "ssh":
			rest := behindHost(args)
			if len(rest) == 0 {
				return readsScript
			}
			if args, ok = oneCommand(joined(rest)); !ok {
				return readsAnything
			}
			continue
		case !ok:
			return readsBehind(args)
		}
		args = behind(args, strings.Fields(w.valued), w.operands, name)
	}
	return readsAnything
}

// readsBehind is what a program does with its input that nothing is known about: it may run a shell that is named in
// its words (docker exec -i box bash).
func readsBehind(args []arg) reading {
	i := slices.IndexFunc(args[1:], func(a arg) bool { return shells[baseName(a.text)] })
	if i >= 0 && shellReads(args[i+1:]) == readsScript {
		return readsScript
	}
	return readsAnything
}

// asks tells whether a command has one of some options and nothing behind its options: sudo -i, which is a shell.
func asks(args []arg, options ...string) bool {
	found := false
	for _, a := range args[1:] {
		for _, o := range options {
			found = found || a.text == o
		}
	}
	w := wrappers[baseName(args[0].text)]
	return found && len(behind(args, strings.Fields(w.valued), w.operands, "")) == 0
}

// standardInput are the names of a process's input as a file, and the sign of one that a substitution makes.
var standardInput = setOf(`/dev/stdin /dev/fd/0 /proc/self/fd/0 - <()`)

// shellReads tells a shell that takes its script from its input from one that has its script in its arguments; what
// that script does with the input nobody knows.
func shellReads(args []arg) reading {
	files, script := shellOptions(args)
	if len(script) > 0 {
		return readsAnything
	}
	for _, a := range args[1:] {
		if a.text == "-s" {
			return readsScript
		}
	}
	if len(files) > 0 && !standardInput[files[0].text] {
		return readsAnything
	}
	return readsScript
}

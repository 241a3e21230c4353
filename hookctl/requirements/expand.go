package requirements

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of braces: the words that a word becomes, and its parts. What is beyond stays as it is typed; `{a..z}` does, too.
const (
	maxBraced = 64
	maxParts  = 16
)

// withoutBraces expands {git,push}.
func withoutBraces(words []*syntax.Word) []*syntax.Word {
	var list []*syntax.Word
	for _, w := range words {
		if one := (&syntax.Word{Parts: slices.Clone(w.Parts)}); len(w.Parts) <= maxParts && syntax.SplitBraces(one) && len(one.Parts) <= maxParts {
			budget := maxBraced
			if expanded := expandBraces(one.Parts, &budget); budget > 0 {
				list = append(list, expanded...)
				continue
			}
		}
		list = append(list, w)
	}
	return list
}

// expandBraces are the words that the first brace of some parts makes, and those behind it in turn.
func expandBraces(parts []syntax.WordPart, budget *int) []*syntax.Word {
	*budget--
	i := slices.IndexFunc(parts, func(p syntax.WordPart) bool { _, ok := p.(*syntax.BraceExp); return ok })
	if i < 0 {
		return []*syntax.Word{{Parts: parts}}
	}
	brace := parts[i].(*syntax.BraceExp)
	if brace.Sequence {
		*budget = 0
	}
	var list []*syntax.Word
	for _, e := range brace.Elems {
		if *budget > 0 {
			list = append(list, expandBraces(slices.Concat(parts[:i], e.Parts, parts[i+1:]), budget)...)
		}
	}
	return list
}

// output is what a list of commands prints, where each of them only prints what stands in the line, or where a
// program is.
func (s *shellLine) output(list []*syntax.Stmt) (string, bool) {
	var lines []string
	for _, n := range list {
		text, ok := s.prints(n)
		if !ok {
			return "", false
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}

func (s *shellLine) prints(n *syntax.Stmt) (string, bool) {
	switch cmd := n.Cmd.(type) {
	case *syntax.Subshell:
		return s.output(cmd.Stmts)
	case *syntax.Block:
		return s.output(cmd.Stmts)
	case *syntax.BinaryCmd:
		if call, ok := cmd.Y.Cmd.(*syntax.CallExpr); ok && cmd.Op == syntax.Pipe {
			if args := s.args(call.Args); len(args) > 0 && (args[0].text == "cat" || args[0].text == "tee") {
				return s.prints(cmd.X)
			}
		}
	case *syntax.CallExpr:
		args := s.args(cmd.Args)
		if len(args) == 0 {
			return "", false
		}
		switch name := baseName(args[0].text); {
		case name == "cat" && len(args) == 1:
			return s.input(n)
		case name == "echo" || name == "printf":
			return printedBy(name, args[1:]), true
		case describes(args), name == "which", name == "type" && len(args) == 3:
			return args[len(args)-1].text, true
		}
	}
	return "", false
}

// input is the text of a command's here-document or here-string; of several the last, as in the shell.
func (s *shellLine) input(n *syntax.Stmt) (text string, ok bool) {
	for _, r := range n.Redirs {
		switch {
		case r.Hdoc != nil:
			text, ok = s.word(r.Hdoc).text, true
		case r.Op == syntax.WordHdoc && r.Word != nil:
			text, ok = s.word(r.Word).text, true
		}
	}
	return text, ok
}

// printedBy is what echo and printf make of their arguments: of printf's format %s and the escapes.
func printedBy(name string, args []arg) string {
	escapes := name == "printf"
	for len(args) > 0 && (name == "echo" && strings.HasPrefix(args[0].text, "-") && strings.Trim(args[0].text, "-neE") == "" || args[0].text == "--") {
		escapes = escapes || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	text := joined(args)
	if name == "printf" && strings.Contains(args[0].text, "%") {
		format, rest := args[0].text, args[1:]
		text = ""
		for first := true; first || len(rest) > 0 && strings.Contains(format, "%") && len(text) < maxLine; first = false {
			var b strings.Builder
			for i, piece := range strings.Split(format, "%") {
				if i > 0 && piece != "" {
					if len(rest) > 0 {
						b.WriteString(rest[0].text)
						rest = rest[1:]
					}
					piece = piece[1:]
				}
				b.WriteString(piece)
			}
			text += b.String()
		}
	}
	if escapes {
		text = ansi(text)
	}
	return strings.TrimRight(text, "\n")
}

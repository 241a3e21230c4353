package main

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// simple is one command of a command line.
type simple struct {
	words   []string // without quotes
	known   bool     // no word has a variable, a substitution or braces
	dir     string   // folder in which it runs, "" where that is not known
	sure    bool     // it ran if the whole line succeeded
	first   bool     // it ran whatever the line's outcome is
	piped   bool     // its output is not what the line shows, or not all of it
	written []string // files that its output goes to
}

// maxCommand bounds a command line that is taken apart, in bytes.
const maxCommand = 64 << 10

// simples takes a command line apart, as far as the parser understands it. cwd is where it begins.
func simples(line, cwd string) []simple {
	if len(line) > maxCommand {
		return nil
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	r := &shellReader{dir: cwd}
	r.statements(file.Stmts, true, true)
	return r.list
}

// shellReader walks over the statements of a line.
type shellReader struct {
	dir  string
	list []simple
}

func (r *shellReader) statements(list []*syntax.Stmt, sure, first bool) {
	for _, s := range list {
		r.statement(s, sure, first, false)
	}
}

// statement takes one statement. What stands in a condition or a loop is not sure to run.
func (r *shellReader) statement(s *syntax.Stmt, sure, first, piped bool) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, s.Redirs, sure, first, piped)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			r.statement(c.X, sure, first, piped)
			r.statement(c.Y, sure, false, piped)
		case syntax.OrStmt:
			r.statement(c.X, false, first, piped)
			r.statement(c.Y, false, false, piped)
		default:
			r.statement(c.X, sure, first, true)
			r.statement(c.Y, sure, first, piped)
		}
	case *syntax.Block:
		r.statements(c.Stmts, sure, first)
	case *syntax.Subshell:
		before := r.dir
		r.statements(c.Stmts, sure, first)
		r.dir = before
	case *syntax.IfClause:
		r.statements(c.Cond, sure, first)
		r.statements(c.Then, false, false)
		if c.Else != nil {
			r.statements(c.Else.Then, false, false)
		}
	case *syntax.ForClause:
		r.statements(c.Do, false, false)
	case *syntax.WhileClause:
		r.statements(c.Do, false, false)
	}
}

// wrappers are programs that run the command behind them.
var wrappers = strings.Fields("sudo env time nohup command exec xargs nice timeout")

func (r *shellReader) call(c *syntax.CallExpr, redirs []*syntax.Redirect, sure, first, piped bool) {
	now := simple{known: true, dir: r.dir, sure: sure, first: first, piped: piped}
	for _, w := range c.Args {
		text, known := literal(w)
		now.words = append(now.words, text)
		now.known = now.known && known
	}
	for len(now.words) > 1 && slices.Contains(wrappers, now.words[0]) {
		if now.words[0] == "xargs" || strings.HasPrefix(now.words[1], "-") {
			now.known = false // what it works on, or an option's value
		}
		now.words = now.words[1:]
		for len(now.words) > 1 && (strings.HasPrefix(now.words[0], "-") || strings.Contains(now.words[0], "=") || isNumber(now.words[0])) {
			now.words = now.words[1:]
		}
	}
	for _, to := range redirs {
		text, known := literal(to.Word)
		writes := to.Op == syntax.RdrOut || to.Op == syntax.AppOut || to.Op == syntax.RdrClob || to.Op == syntax.RdrAll
		if writes && known && !strings.HasPrefix(text, "/dev/") {
			now.written = append(now.written, text)
		}
	}

	if len(now.words) > 0 && now.words[0] == "cd" {
		r.changeFolder(now)
		return
	}
	r.list = append(r.list, now)
}

func (r *shellReader) changeFolder(cd simple) {
	if len(cd.words) != 2 || !cd.known || r.dir == "" || cd.words[1] == "-" || strings.HasPrefix(cd.words[1], "~") {
		r.dir = ""
		return
	}
	r.dir = resolve(r.dir, cd.words[1])
}

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.smh") == ""
}

// resolve returns a path as it is meant in a folder, "" where the folder is not known.
func resolve(dir, path string) string {
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case dir == "" || strings.HasPrefix(path, "~"):
		return ""
	}
	return filepath.Join(dir, path)
}

// literal returns a word without its quotes, and whether that is all of it.
func literal(w *syntax.Word) (text string, known bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	known = true
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			value := strings.ReplaceAll(p.Value, `\ `, " ")
			known = known && !strings.Contains(value, "{")
			b.WriteString(value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, isText := inner.(*syntax.Lit)
				if !isText {
					known = false
					continue
				}
				b.WriteString(lit.Value)
			}
		default:
			known = false
		}
	}
	return b.String(), known
}

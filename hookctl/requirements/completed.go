package requirements

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// completed is a command that another program completes with words: xargs and parallel.
type completed struct {
	words   []arg
	replace string // of xargs: what a line of the input is put for; "" where its words come last
	shell   bool   // parallel: the words are a line for a shell, and without any each item is one
}

// completedBy is what xargs or parallel would run, also behind sudo and its like; nil for another program.
func completedBy(args []arg) *completed {
	for range maxNested {
		if len(args) == 0 {
			break
		}
		name := baseName(args[0].text)
		w, ok := wrappers[name]
		if !ok {
			break
		}
		words := behind(args, strings.Fields(w.valued), w.operands, name)
		switch name {
		case "xargs":
			return &completed{words: words, replace: replacedBy(args[1 : len(args)-len(words)])}
		case "parallel":
			return &completed{words: words, shell: true}
		}
		args = words
	}
	return nil
}

// takesText tells whether the words that are read are no program of their own: xargs echo.
func (c *completed) takesText() bool {
	if len(c.words) == 0 {
		return false
	}
	name := baseName(c.words[0].text)
	return printers[name] || masks[name] && !interprets(name, c.words)
}

// replacing is xargs' option that names the sign for a line of its input, also behind letters without a value: -0I{}.
var replacing = regexp.MustCompile(`^(?:-[0oprtx]*([IJi])|--replace)=?(.*)$`)

// replacedBy is that sign; it may be the next word, and {} where it is left out.
func replacedBy(options []arg) (sign string) {
	for i, a := range options {
		switch m := replacing.FindStringSubmatch(a.text); {
		case m == nil:
		case m[2] != "":
			sign = m[2]
		case m[1] != "I" && m[1] != "J":
			sign = "{}"
		case i+1 < len(options):
			sign = options[i+1].text
		}
	}
	return sign
}

// complete runs a command with what stands in its input.
func (s *shellLine) complete(c *completed, text string) {
	if !c.shell && c.replace == "" {
		s.command(slices.Concat(c.words, fieldsOf(text)))
		return
	}
	for _, item := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(item) == "":
		case !s.once():
			s.lost = true
			return
		case c.shell:
			s.parallel(joined(c.words), []string{item})
		default:
			words := slices.Clone(c.words)
			for i := range words {
				words[i].text = strings.ReplaceAll(words[i].text, c.replace, strings.TrimSpace(item))
			}
			s.command(words)
		}
	}
}

// lists runs parallel's words: for a shell, with each item behind `:::`, of several lists each with each.
func (s *shellLine) lists(words []arg) {
	var lists [][]string
	line := words
	for i, a := range words {
		switch {
		case strings.HasPrefix(a.text, ":::"):
			if len(lists) == 0 {
				line = words[:i]
			}
			lists = append(lists, nil)
		case len(lists) > 0:
			lists[len(lists)-1] = append(lists[len(lists)-1], a.text)
		}
	}
	if len(lists) == 0 {
		s.parse(joined(line))
		return
	}
	s.each(joined(line), nil, lists)
}

func (s *shellLine) each(line string, items []string, lists [][]string) {
	if len(lists) == 0 {
		if s.once() {
			s.parallel(line, items)
		}
		return
	}
	for _, item := range lists[0] {
		if s.calls > maxCalls {
			s.lost = true
			return
		}
		s.each(line, append(slices.Clip(items), item), lists[1:])
	}
}

// places are parallel's signs for an item or a part of it: {}, {2}, {.}, {1//}.
var places = regexp.MustCompile(`\{(\d*)(?:\.|//?|/\.)?\}`)

// parallel is one line of parallel's, with one item of each list.
func (s *shellLine) parallel(line string, items []string) {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = quoted(item)
	}
	switch {
	case strings.TrimSpace(line) == "":
		s.parse(strings.Join(items, " "))
	case !places.MatchString(line):
		s.parse(line + " " + strings.Join(all, " "))
	default:
		s.parse(places.ReplaceAllStringFunc(line, func(sign string) string {
			n, err := strconv.Atoi(places.FindStringSubmatch(sign)[1])
			switch {
			case err != nil:
				return strings.Join(all, " ")
			case n >= 1 && n <= len(all):
				return all[n-1]
			}
			return sign
		}))
	}
}

// quoted is a word as a shell reads it back.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

package wording

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OwnWords returns a text in which what its writer took from elsewhere is blanked: fenced and indented code, block quotes,
// HTML comments, what stands between a tag and its end, lines that a program printed, code within a line, and text in
// quotation marks. Nobody decides, plans or complains by quoting somebody.
//
// The result has as many bytes as the text, and ends of lines stay where they are: what is found in it at some offset
// stands in the text at the same one, with the names that the writer put in quotation marks.
//
// Where marks do not pair, nobody can say what is quoted, and more is blanked rather than less: after a fence too many, all
// from the first fence on. Two quoted fences that pair with the writer's own remain a gap; Markdown itself has it. Of a
// longer text only the first 64 KiB are the writer's words: what is longer was not written by hand.
func OwnWords(text string) string {
	t := ownLines(text)
	t.codeSpans()
	t.quotations()
	return string(t.out)
}

// OwnLines returns a text in which the lines that its writer took from elsewhere are blanked, as [OwnWords] has it. Within the
// writer's own lines all stays: code, and text in quotation marks.
func OwnLines(text string) string { return string(ownLines(text).out) }

// ownLines returns a text without the lines that its writer took from elsewhere.
func ownLines(text string) *quoting {
	t := &quoting{text: text, out: []byte(text)}
	t.blank(min(len(text), maxOwn), len(text))
	t.fences()
	t.comments()
	t.tags()
	t.blocks()
	t.outputs()
	return t
}

const maxOwn = 64 << 10

// Sentence is a sentence of a text that has words of the writer's own.
type Sentence struct {
	Text     string // as it was written, with what it quotes
	Own      string // the same with what it quotes blanked, of the same length, see [OwnWords]
	Question bool
}

// sentenceEnd matches what ends a sentence.
var sentenceEnd = regexp.MustCompile(`[.!?]+(?:\s+|$)|\n+`)

// OwnSentences returns the sentences of a text that have words of the writer's own. A line ends one.
func OwnSentences(text string) []Sentence {
	own := OwnWords(text)
	ends := append(sentenceEnd.FindAllStringIndex(own, -1), []int{len(own), len(own)})

	var list []Sentence
	begin := 0
	for _, end := range ends {
		from, to := trimmed(text, begin, end[0])
		s := Sentence{Text: text[from:to], Own: own[from:to], Question: strings.Contains(own[end[0]:end[1]], "?")}
		if strings.TrimSpace(s.Own) != "" {
			list = append(list, s)
		}
		begin = end[1]
	}
	return list
}

// trimmed returns a part of a text without the white space around it.
func trimmed(text string, from, to int) (int, int) {
	part := strings.TrimLeftFunc(text[from:to], unicode.IsSpace)
	from = to - len(part)
	return from, from + len(strings.TrimRightFunc(part, unicode.IsSpace))
}

// quoting blanks the quoted parts of a text, one kind of quoting after the other. Each looks at what the others left.
type quoting struct {
	text string
	out  []byte
}

// blank overwrites bytes by spaces; ends of lines stay.
func (t *quoting) blank(from, to int) {
	for i := from; i < to; i++ {
		if t.out[i] != '\n' {
			t.out[i] = ' '
		}
	}
}

// lines calls a function with the begin and the end of each line, the end without its line feed.
func (t *quoting) lines(do func(from, to int)) {
	for from := 0; from < len(t.out); {
		line, _, _ := strings.Cut(t.text[from:], "\n")
		to := from + len(line)
		do(from, to)
		from = to + 1
	}
}

// fence matches a line that begins or ends fenced code, also as an item of a list; its groups are the fence and the words
// after it, which only a beginning has.
var fence = regexp.MustCompile("^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})[ \t]*([^`\r]*)\r?$")

// fences blanks fenced code. A beginning within another one is nested, as in a quoted README.
func (t *quoting) fences() {
	first := -1
	var open []string // fences that are not ended yet
	begin := 0
	t.lines(func(from, to int) {
		m := fence.FindSubmatch(t.out[from:to])
		if m == nil {
			return
		}
		mark, words := string(m[1]), string(m[2])
		if first < 0 {
			first = from
		}

		ends := len(open) > 0 && words == "" && strings.HasPrefix(mark, open[len(open)-1])
		switch {
		case ends:
			open = open[:len(open)-1]
		case len(open) == 0:
			open, begin = []string{mark}, from
		case words != "":
			open = append(open, mark)
		}
		if len(open) == 0 {
			t.blank(begin, to)
		}
	})
	if len(open) > 0 {
		t.blank(first, len(t.out))
	}
}

// comments blanks HTML comments; one without an end goes to the end of the text.
func (t *quoting) comments() {
	for from := 0; ; {
		begin := bytes.Index(t.out[from:], []byte("<!--"))
		if begin < 0 {
			return
		}
		begin += from
		end := len(t.out)
		if n := bytes.Index(t.out[begin:], []byte("-->")); n >= 0 {
			end = begin + n + len("-->")
		}
		t.blank(begin, end)
		from = end
	}
}

// opening matches the tag that begins an element; its group is the name.
var opening = regexp.MustCompile(`<([a-zA-Z][\w:-]*)(?:\s[^<>]*)?>`)

// maxTags bounds how many elements are looked for.
const maxTags = 50

// tags blanks elements with what they contain. One that has more ends than begins goes to the last end: its content may
// have tried to leave it.
func (t *quoting) tags() {
	text := string(t.out)
	from := 0
	for range maxTags {
		m := opening.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return
		}
		begin, name := from+m[0], text[from+m[2]:from+m[3]]
		length := element(text[begin:], name)
		t.blank(begin, begin+length)
		from += max(m[1], m[0]+length)
	}
}

// element returns the length of the element that a text begins with, 0 for one without an end.
func element(text, name string) int {
	begin, end := "<"+name, "</"+name
	if strings.Count(text, end) >= strings.Count(text, begin) {
		return closedAt(text, strings.LastIndex(text, end))
	}

	depth, at := 0, 0
	for {
		next := strings.Index(text[at:], end)
		if next < 0 {
			return 0
		}
		depth += strings.Count(text[at:at+next], begin) - 1
		at += next + len(end)
		if depth == 0 {
			return closedAt(text, at-len(end))
		}
	}
}

// closedAt returns where a tag ends that begins at an offset, 0 for no tag.
func closedAt(text string, at int) int {
	if at < 0 {
		return 0
	}
	n := strings.IndexByte(text[at:], '>')
	if n < 0 {
		return len(text)
	}
	return at + n + 1
}

// Lines of Markdown.
var (
	quoteLine = regexp.MustCompile(`^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*>`)
	itemLine  = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)]|#{1,6})[ \t]`)
	codeLine  = regexp.MustCompile(`^(?: {4}|\t)`)
)

// blocks blanks block quotes, with the lines that continue their paragraph, and indented code.
func (t *quoting) blocks() {
	quote, code := false, false
	blankBefore := true
	t.lines(func(from, to int) {
		line := t.text[from:to]
		empty := strings.TrimSpace(line) == ""
		isItem := itemLine.MatchString(line)
		switch {
		case empty:
			quote = false
		case quoteLine.MatchString(line):
			quote = true
		case isItem:
			quote, code = false, false
		}

		indented := codeLine.MatchString(line) && !isItem
		if !empty {
			code = indented && (blankBefore || code)
		}
		if quote || code {
			t.blank(from, to)
		}
		blankBefore = empty
	})
}

// printed matches a line that a program printed: an error, a frame of a stack, a place in a file, a line of a log, a result of
// a test, a line of a patch, a command behind a shell's prompt.
var printed = regexp.MustCompile(`^[ \t]*(?:` + strings.Join([]string{
	`[\w.]*(?:Error|Exception|Warning):`,
	`(?i:error|warning|fatal|panic|npm err!|caused by|traceback)(?:[:!]|\[\w+\]| \(most)`,
	`at \S+ ?\(`,
	`File "`,
	`\S+\.\w{1,8}:\d+:`,
	`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d`,
	`(?:--- )?FAIL\b`,
	`[✗✕×] `,
	`E   `,
	`(?:\+\+\+|---|@@|diff --git) `,
	`\$ `,
}, "|") + `)`)

// outputs blanks lines that a program printed.
func (t *quoting) outputs() {
	t.lines(func(from, to int) {
		if printed.Match(t.out[from:to]) {
			t.blank(from, to)
		}
	})
}

// paragraph returns where the paragraph ends that an offset stands in.
func (t *quoting) paragraph(at int) int {
	if n := strings.Index(t.text[at:], "\n\n"); n >= 0 {
		return at + n
	}
	return len(t.text)
}

// codeSpans blanks code within a line: it ends at as many backticks as it began with, in the same paragraph.
func (t *quoting) codeSpans() {
	for at := 0; at < len(t.out); at++ {
		if t.out[at] != '`' {
			continue
		}
		marks := ticks(t.out[at:])
		end := t.paragraph(at)
		for i := at + marks; i < end; i++ {
			n := ticks(t.out[i:end])
			if n == marks {
				t.blank(at, i+n)
				break
			}
			i += n
		}
		at += marks - 1
	}
}

// ticks counts the backticks that a text begins with.
func ticks(text []byte) int {
	n := 0
	for n < len(text) && text[n] == '`' {
		n++
	}
	return n
}

// closings are the ends of quotations by the mark that begins them. A straight mark begins and ends one.
var closings = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '‹': "›", '「': "」", '『': "』", '‘': "’", '\'': "'"}

// Bounds of a quotation in bytes. A mark of which no end is found within them blanks the rest of its paragraph, a single one
// nothing.
const (
	maxQuotation = 8000
	maxSingle    = 200
)

// quotations blanks text in quotation marks, of single ones on one line.
func (t *quoting) quotations() {
	text := string(t.out)
	for at := 0; at < len(text); {
		mark, size := utf8.DecodeRuneInString(text[at:])
		ends := closings[mark]
		single := mark == '\'' || mark == '‘'
		switch {
		case ends == "" || !opens(text, at, size, single):
			at += size
			continue
		case single:
			line, _, _ := strings.Cut(text[at:min(len(text), at+maxSingle)], "\n")
			end := max(at+size, quotationEnd(text[:at+len(line)], at+size, mark, ends))
			if end > at+size {
				t.blank(at, end)
			}
			at = end
			continue
		}

		end := quotationEnd(text[:min(len(text), at+maxQuotation)], at+size, mark, ends)
		if end == 0 {
			end = t.paragraph(at)
		}
		t.blank(at, end)
		at = end
	}
}

// opens reports whether a mark can begin a quotation: no letter or digit stands before it, as in 5" and it's. A single mark
// has a letter behind it, too.
func opens(text string, at, size int, single bool) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+size:])
	return !inWord(before) && (!single || !unicode.IsSpace(after))
}

// quotationEnd returns where the quotation ends that began before an offset, 0 for nowhere. Quotations within it are passed
// over: a mark behind a blank and before a word begins another one.
func quotationEnd(text string, at int, mark rune, ends string) int {
	depth := 1
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+size:])
		at += size

		isEnd := strings.ContainsRune(ends, r)
		nested := r == mark && (!isEnd || begins(before, after))
		switch {
		case nested:
			depth++
		case isEnd && !inWord(after):
			depth--
		}
		if depth == 0 {
			return at
		}
	}
	return 0
}

// begins reports whether a mark that both begins and ends quotations begins one, by what stands around it.
func begins(before, after rune) bool {
	return unicode.IsSpace(before) && inWord(after)
}

// inWord reports whether a character is of a word. The end of a text, which is read as an invalid character, is not.
func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// planned matches the beginning of a prompt by which the client has a plan carried out: what follows was written by an agent.
var planned = regexp.MustCompile(`(?i)^implement the following plan:`)

// maxTyped is how many bytes a prompt has of which all may have been typed. Of a longer one with several paragraphs, what
// stands in the middle was pasted more often than not.
const maxTyped = 2000

// Typed returns what of a prompt was typed rather than pasted, as far as its form tells: nothing of a plan that is to be
// carried out, of a long prompt the first and the last paragraph.
func Typed(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	switch {
	case planned.MatchString(prompt):
		return ""
	case len(prompt) <= maxTyped:
		return prompt
	}
	first, _, _ := strings.Cut(prompt, "\n\n")
	last := strings.TrimLeft(prompt[max(0, strings.LastIndex(prompt, "\n\n")):], "\n")
	if len(first) > maxTyped {
		first = ""
	}
	if len(last) > maxTyped || len(first) == len(prompt) {
		last = ""
	}
	return strings.TrimSpace(first + "\n\n" + last)
}

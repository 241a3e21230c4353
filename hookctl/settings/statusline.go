package settings

import (
	"strings"
)

// SetStatusLine makes our status line the client's, or takes it out again, and changes nothing else. One that is not ours
// is kept as it is: theirs is then its command.
func SetStatusLine(o Options, on bool) (res Result, theirs string, err error) {
	res, err = settingsFile(o).edit("set the status line", o.DryRun, func(doc *document, cur content, _ backup) (change, error) {
		at, ours, command := doc.statusLine()
		switch {
		case at >= 0 && !ours && on:
			theirs = command
		case at < 0 && on:
			return change{next: content{exists: true, data: doc.withStatusLine(o.Command())}, added: 1}, nil
		case at >= 0 && ours && !on:
			without := doc.edited(func(next *document) { cut(next.root, []int{at}) })
			return change{next: content{exists: true, data: without}, removed: 1}, nil
		}
		return change{next: cur}, nil
	})
	return res, theirs, err
}

// statusLine finds the member of the settings that names the status line, -1 for none, and whether it is ours.
func (d *document) statusLine() (at int, ours bool, command string) {
	at = memberAt(d.root, "statusLine")
	if at < 0 {
		return at, false, ""
	}
	line, _ := decode(d.root.Members[at].Value).(map[string]any)
	command, _ = line["command"].(string)
	words := splitWords(command)
	return at, len(words) > 1 && isOurBinary(words[0]) && words[1] == "statusline", command
}

// withStatusLine is the file with our status line as its last member. The client runs it by a shell.
func (d *document) withStatusLine(program string) []byte {
	s := d.style()
	root := s.level(d.root, level{multi: true})
	if strings.ContainsAny(program, " '\"$`\\&;()<>|*?#~!") {
		program = "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	}
	line := member{"statusLine", object{{"type", "command"}, {"command", program + " statusline"}}}
	return d.edited(func(next *document) { s.add(next.root, root, "", s.member(line, root)) })
}

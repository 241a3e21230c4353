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
			return change{next: content{exists: true, data: doc.edited(doc.cut(doc.root, []int{at}))}, removed: 1}, nil
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
	var line struct{ Command string }
	_ = decode(*valueOf(d.root, "statusLine"), &line) // of another form: not ours
	words := splitWords(line.Command)
	return at, len(words) > 1 && isOurBinary(words[0]) && words[1] == "statusline", line.Command
}

// withStatusLine is the file with our status line as its last member. The client runs it by a shell.
func (d *document) withStatusLine(program string) []byte {
	if strings.ContainsAny(program, " '\"$`\\&;()<>|*?#~!") {
		program = "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	}
	s := d.style()
	root := d.level(s, d.root, level{multi: true})
	line := s.member("statusLine", handler{Type: "command", Command: program + " statusline"}, root)
	return d.edited(d.add(s, d.root, root, "", line))
}

package settings

import "github.com/tailscale/hujson"

// SetStatusLine makes our status line the client's, or takes it out again, and changes nothing else. One that is not ours
// is kept as it is: theirs is then its command.
func SetStatusLine(o Options, on bool) (res Result, theirs string, err error) {
	res, err = o.edit(func(doc *document, cur, _ content) (change, error) {
		command, set := doc.statusLine()
		words := splitWords(command)
		ours := len(words) > 1 && ourBinary.MatchString(words[0]) && words[1] == "statusline"
		switch {
		case set && !ours && on:
			theirs = command
		case !set && on:
			return change{next: doc.withStatusLine(o.Command()), added: 1}, nil
		case ours && !on:
			members := doc.root.Value.(*hujson.Object).Members
			doc.cut(&doc.root, func(i int) bool { return nameOf(members[i]) == "statusLine" })
			return change{next: doc.pack(), removed: 1}, nil
		}
		return change{next: cur}, nil
	})
	return res, theirs, err
}

// statusLine returns the command of the settings' status line, and whether they have one.
func (d *document) statusLine() (command string, set bool) {
	v := d.root.Find("/statusLine")
	if v == nil {
		return "", false
	}
	var line struct{ Command string }
	_ = decode(*v, &line) // of another form: not ours
	return line.Command, true
}

// withStatusLine is the file with our status line as its last member. The client runs it by a shell.
func (d *document) withStatusLine(program string) []byte {
	s := d.style()
	s.add(&d.root, s.level(&d.root, level{multi: true}), "", "statusLine", handler{Type: "command", Command: shellWord(program) + " statusline"})
	return d.pack()
}

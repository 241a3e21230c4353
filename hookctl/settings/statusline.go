package settings

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// SetStatusLine makes our status line the client's, or takes it out again, and changes nothing else. One that is not ours
// is kept as it is: theirs is then its command.
func SetStatusLine(o Options, on bool) (res Result, theirs string, err error) {
	f := settingsFile(o)
	res, err = f.edit(o.DryRun, func(cur content, _ backup) (change, error) {
		doc, err := parse(f.path, cur.data)
		if err != nil {
			return change{}, err
		}
		at, ours, command := doc.statusLine()
		switch {
		case at >= 0 && !ours && on:
			theirs = command
		case at < 0 && on:
			return change{next: content{exists: true, data: doc.withStatusLine(o.Command())}, added: 1}, nil
		case at >= 0 && ours && !on:
			var e edits
			doc.root.cut(&e, doc, []int{at})
			return change{next: content{exists: true, data: doc.bytes(e.apply(doc.body))}, removed: 1}, nil
		}
		return change{next: cur}, nil
	})
	if err != nil {
		return Result{}, "", fmt.Errorf("set the status line: %w", err)
	}
	return res, theirs, nil
}

// statusLine finds the member of the settings that names the status line, -1 for none, and whether it is ours.
func (d *document) statusLine() (at int, ours bool, command string) {
	for i, it := range d.root.items {
		v, err := parseValue(append(append([]byte("{"), d.body[it.start:it.end]...), '}'))
		if err != nil {
			continue
		}
		obj, ok := v.Value.(*hujson.Object)
		if !ok || len(obj.Members) != 1 || text(obj.Members[0].Name) != "statusLine" {
			continue
		}
		line, _ := decode(obj.Members[0].Value).(map[string]any)
		command, _ = line["command"].(string)
		words := splitWords(command)
		if len(words) < 2 {
			return i, false, command
		}
		base := strings.TrimSuffix(filepath.Base(words[0]), ".exe")
		return i, (base == "hookctl" || base == "hookd") && words[1] == "statusline", command
	}
	return -1, false, ""
}

// withStatusLine is the file with our status line as its last member. The client runs it by a shell.
func (d *document) withStatusLine(program string) []byte {
	var e edits
	s := d.style()
	root := s.level(d.root, level{multi: true})
	if strings.ContainsAny(program, " '\"$`\\&;()<>|*?#~!") {
		program = "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	}
	line := member{"statusLine", object{{"type", "command"}, {"command", program + " statusline"}}}
	s.add(&e, d.body, d.root, root, "", []string{s.member(line, root)})
	return d.bytes(e.apply(d.body))
}

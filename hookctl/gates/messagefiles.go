package gates

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Message files keep a requirement's texts out of the configuration: <requirement>.yaml in .claude/messages.local,
// else in .claude/messages of the project, else of the user's home. The first that is found counts whole, and before
// `message` and `short_message` of the configuration. A dynamic requirement's text stays in the configuration, since
// it goes with the numbers.

// MessageDirs are the folders of message files in the order of falling weight. A file that comes or goes changes its
// folder.
func (o Options) MessageDirs() []string {
	var dirs []string
	if o.Root != "" {
		dirs = append(dirs, filepath.Join(o.Root, ".claude", "messages.local"), filepath.Join(o.Root, ".claude", "messages"))
	}
	if o.Home != "" {
		dirs = append(dirs, filepath.Join(o.Home, ".claude", "messages"))
	}
	return dirs
}

// messageFiles lays the texts of the message files on the enabled requirements.
func (l *loader) messageFiles(o Options, r *Rules) {
	dirs := o.MessageDirs()
	for _, q := range r.InOrder() {
		if strings.ContainsAny(q.Name, `/\`) || strings.HasPrefix(q.Name, ".") || strings.HasPrefix(q.Name, "_") {
			continue // no file of a folder
		}
		if path, data := l.firstOf(dirs, q.Name+".yaml"); data != nil {
			r.ByName[q.Name] = l.messages(q, path, data)
		}
	}
}

// firstOf reads the first file of that name. One that is there and cannot be read is the first, too.
func (l *loader) firstOf(dirs []string, name string) (path string, data []byte) {
	for _, dir := range dirs {
		path = filepath.Join(dir, name)
		data, err := l.fs.ReadFile(path)
		if err == nil {
			return path, append(data, '\n')
		}
		if !errors.Is(err, fs.ErrNotExist) {
			l.unreadable(path, err)
			return path, nil
		}
	}
	return "", nil
}

// messages gives a requirement the texts of its file; what is malformed leaves the configuration's.
func (l *loader) messages(q Requirement, path string, data []byte) Requirement {
	n, err := parse(path, data, l.duplicate)
	switch {
	case err != nil:
		l.fault(path, q.Name, err)
		return q
	case n == nil || n.kind == "NoneType":
		return q
	case n.kind != "dict":
		l.invalid(n.at, q.Name, "a message file must be a mapping, got "+n.kind, "write blocking_message: and the text behind it")
		return q
	}
	l.keys(document().Definitions["message_file"], n, "", q.Name)
	if q.Type == Dynamic {
		l.notes = append(l.notes, at(n.at, q.Name, "the text of a dynamic requirement is its `blocking_message` in requirements.yaml", ""))
		return q
	}
	q.Message = l.messageText(n, q, "blocking_message", q.Message)
	q.ShortMessage = l.messageText(n, q, "short_message", q.ShortMessage)
	return q
}

func (l *loader) messageText(n *node, q Requirement, key, otherwise string) string {
	v := n.get(key)
	switch {
	case v == nil || v.kind == "NoneType":
		return otherwise
	case v.kind != "str":
		l.invalid(v.at, q.Name, fmt.Sprintf("'%s' must be str, got %s", key, v.kind), "put it in quotes")
		return otherwise
	}
	l.placeholders(v, q.Name, key)
	return v.text
}

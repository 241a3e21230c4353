package daemon

import (
	"os"
	"slices"

	"hookline/hookctl/config"
	"hookline/hookctl/redact"
)

// What configuration files say counts as they are now: a change holds from the next hook on. Looking costs some stats.
// Files are looked at and read without a lock: those of one project must not hold up the others.

// maxRoots bounds the folders whose configuration is remembered.
const maxRoots = 256

// watchedFiles has files as they looked before they were read, so that a change while they are read is seen next time.
type watchedFiles struct {
	names []string
	marks []fileMark
}

// fileMark is how a file looked; the zero value stands for no file.
type fileMark struct {
	size    int64
	changed int64 // Unix nanoseconds
}

func markOf(name string) fileMark {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return fileMark{}
	}
	return fileMark{info.Size(), info.ModTime().UnixNano()}
}

func (w *watchedFiles) add(name string) {
	w.names = append(w.names, name)
	w.marks = append(w.marks, markOf(name))
}

// unchanged reports whether all files look as they did.
func (w *watchedFiles) unchanged() bool {
	for i, name := range w.names {
		if markOf(name) != w.marks[i] {
			return false
		}
	}
	return true
}

// projectConfig is what configuration files say of the project that a client was launched in.
type projectConfig struct {
	config.Config
	files    watchedFiles
	redactor *redact.Redactor // with what redact_extra of the project adds
	off      bool             // the user's configuration says that nothing of it is recorded
}

// configured returns what configuration files say of a folder that a client was launched in.
func (i *intake) configured(launch string) *projectConfig {
	if known, ok := i.projects.Get(launch); ok && known.files.unchanged() {
		return known
	}

	o := config.Options{Getenv: os.Getenv, Dir: launch}
	next := &projectConfig{redactor: i.redactor}
	for _, name := range config.Paths(o) {
		next.files.add(name)
	}
	next.Config = config.Load(o)
	next.off = !config.Load(config.Options{Getenv: os.Getenv}).Values.Records(launch)
	user, added := config.Patterns(os.Getenv, launch)
	for _, p := range i.opts.Redact {
		if !slices.Contains(user, p) {
			user = append(user, p)
		}
	}
	if len(user) > len(i.opts.Redact) || len(added) > 0 {
		next.redactor = i.redactor.With(redact.Extra{User: redact.Compile(user), Project: redact.Compile(added)})
	}
	i.projects.Put(launch, next)
	return next
}

package daemon

import (
	"bytes"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"hookline/hookctl/config"
	"hookline/hookctl/redact"
)

// redactors are those of projects: redact_extra of a project's files adds to what the daemon was started with, and
// all files count as they are now, so that a pattern holds from the next hook on. Looking costs three stats. Safe
// for concurrent use; the zero value is ready.
type redactors struct {
	mu sync.Mutex
	by map[string]*projectRedactor // by the directory the client was launched in
}

type projectRedactor struct {
	files []string   // that may exist
	marks []fileMark // of the files, as they looked before they were read
	with  *redact.Redactor
	off   bool // the user's configuration says that nothing of it is recorded
}

// of is base with the patterns of the project that the client was launched in. The files are looked at and read without
// the lock: those of one project must not hold up the others.
func (r *redactors) of(base *redact.Redactor, given []string, launch string, now time.Time) *projectRedactor {
	r.mu.Lock()
	known := r.by[launch]
	r.mu.Unlock()
	if known != nil && slices.EqualFunc(known.marks, marksOf(known.files, now), fileMark.same) {
		return known
	}
	next := loadRedactor(base, given, launch, now)
	r.mu.Lock()
	defer r.mu.Unlock()
	keep(&r.by, maxRoots, launch, next)
	return next
}

// loadRedactor reads the files of a project.
func loadRedactor(base *redact.Redactor, given []string, launch string, now time.Time) *projectRedactor {
	o := config.Options{Getenv: os.Getenv, Dir: launch}
	next := &projectRedactor{files: config.Paths(o), with: base}
	next.marks = marksOf(next.files, now)
	next.off = !config.Load(config.Options{Getenv: os.Getenv}).Values.Records(launch)
	user, added := config.Patterns(os.Getenv, launch)
	for _, p := range given {
		if !slices.Contains(user, p) {
			user = append(user, p)
		}
	}
	if len(user) > len(given) || len(added) > 0 {
		next.with = base.With(redact.Extra{User: redact.Compile(user), Project: redact.Compile(added)})
	}
	return next
}

func marksOf(files []string, now time.Time) []fileMark {
	marks := make([]fileMark, len(files))
	for i, name := range files {
		marks[i] = markFile(name, now)
	}
	return marks
}

// memories hold what was found in each session, so that a secret is also replaced where it recurs without its name.
// Safe for concurrent use; the zero value is ready.
type memories struct {
	mu    sync.Mutex
	by    map[string]*redact.Memory
	order []string // of the sessions, oldest first
}

// maxMemories bounds the sessions that are remembered: a memory is up to 100 KB.
const maxMemories = 64

// of is the memory of the session that a hook's body names. The body is not decoded yet.
func (m *memories) of(body []byte) *redact.Memory {
	session := idIn(body)
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.by[session]; known != nil {
		return known
	}
	if m.by == nil {
		m.by = map[string]*redact.Memory{}
	}
	if len(m.order) == maxMemories {
		delete(m.by, m.order[0])
		m.order = m.order[1:]
	}
	m.by[session] = redact.NewMemory()
	m.order = append(m.order, session)
	return m.by[session]
}

// idIn is the session id among the first fields of a body, empty without one.
func idIn(body []byte) string {
	_, rest, found := bytes.Cut(body[:min(len(body), 4096)], []byte(`"session_id"`))
	if !found {
		return ""
	}
	rest = bytes.TrimLeft(rest, " \t\r\n:")
	if len(rest) == 0 || rest[0] != '"' {
		return ""
	}
	id, _, _ := bytes.Cut(rest[1:], []byte(`"`))
	return string(id)
}

// redactedLog writes lines of the log without the secrets in them.
type redactedLog struct {
	to   io.Writer
	with *redact.Redactor
}

func (l redactedLog) Write(line []byte) (int, error) {
	out, _ := l.with.Text(line)
	if _, err := l.to.Write(out); err != nil {
		return 0, err
	}
	return len(line), nil
}

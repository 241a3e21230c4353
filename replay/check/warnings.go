package check

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"hookline/events/copies"
	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
)

// Warnings are about damage of the log. Each is shown to the user once, at the start of the next session, whichever daemon
// serves it, so they are kept in a file. It is not safe for concurrent use.
type Warnings struct {
	path string
	log  *slog.Logger
	list []warning
}

// warning is what the user has to hear; ID is that of the event that says the same.
type warning struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// maxWarnings bounds what waits: of a disk that goes on failing the newest words do.
const maxWarnings = 5

// OpenWarnings reads those that no session's start in this home has shown yet.
func OpenWarnings(home string, log *slog.Logger) *Warnings {
	u := &Warnings{path: filepath.Join(home, "told", "untold.json"), log: log}
	content, err := safeopen.ReadFile(safeopen.Own, u.path, 1<<20)
	if err == nil {
		err = json.Unmarshal(content, &u.list)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("what the user is to be told", "err", err)
	}
	return u
}

// Add keeps words until the next session starts; id is that of the event that says the same, and is kept once.
func (u *Warnings) Add(id, words string) {
	for _, s := range u.list {
		if s.ID == id {
			return
		}
	}
	u.list = copies.Push(u.list, warning{ID: id, Text: words}, maxWarnings)
	content, err := json.Marshal(u.list)
	if err == nil {
		err = home.PrivateDir(filepath.Dir(u.path))
	}
	if err == nil {
		err = safeopen.Replace(u.path, content)
	}
	if err != nil {
		u.log.Warn("keep the words for the user", "err", err) // this process still tells them
	}
}

// Take returns the words for the user and removes them; "" when there are none.
func (u *Warnings) Take() string {
	if len(u.list) == 0 {
		return ""
	}
	var words []string
	for _, s := range u.list {
		words = append(words, s.Text)
	}
	u.list = nil
	if err := os.Remove(u.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.log.Warn("the user will be told again", "err", err)
	}
	return strings.Join(words, "\n")
}

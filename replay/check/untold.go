package check

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
)

// Untold are the words that the user has to hear of once, at the start of the next session, whichever daemon serves it.
// They are kept in a file. It is not safe for concurrent use.
type Untold struct {
	path string
	log  *slog.Logger
	list []saying
}

// saying is what the user has to hear; ID is that of the event that says the same.
type saying struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// maxSayings bounds what waits: of a disk that goes on failing the newest words do.
const maxSayings = 5

// OpenUntold takes up what no session's start in this home has told yet.
func OpenUntold(home string, log *slog.Logger) *Untold {
	u := &Untold{path: filepath.Join(home, "told", "untold.json"), log: log}
	content, err := safeopen.ReadFile(safeopen.Own, u.path, 1<<20)
	if err == nil {
		err = json.Unmarshal(content, &u.list)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("what the user is to be told", "err", err)
	}
	return u
}

// Later keeps words until the next session starts; those of an event that are kept already are not kept twice.
func (u *Untold) Later(id, words string) {
	for _, s := range u.list {
		if s.ID == id {
			return
		}
	}
	u.list = append(u.list, saying{ID: id, Text: words})
	u.list = u.list[max(0, len(u.list)-maxSayings):]
	content, err := json.Marshal(u.list)
	if err == nil {
		err = home.PrivateDir(filepath.Dir(u.path))
	}
	if err == nil {
		temp := u.path + ".tmp"
		if err = safeopen.WriteFile(temp, content); err == nil {
			err = os.Rename(temp, u.path)
		}
	}
	if err != nil {
		u.log.Warn("keep the words for the user", "err", err) // this process still tells them
	}
}

// Now gives the words for the user, who has heard them then; "" when there are none.
func (u *Untold) Now() string {
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

package transcript

import (
	"bytes"
	"encoding/json"
	"io"

	"hookline/events/wording"
	"hookline/hookctl/hook"
	"hookline/hookctl/safeopen"
)

// maxHead is how much of a transcript is read for the origin of a fork, whose lines all name it. The first of a conversation
// comes behind a few short ones; a prompt with pasted images is longer, and the fork's origin then stays unknown.
const maxHead = 1 << 20

// Origin returns the id of the session that a transcript's was forked from, "" where it was not, where the client has not
// written the transcript yet, and where that cannot be read. Only its beginning is read.
func Origin(path string) string {
	if path == "" {
		return ""
	}
	f, err := safeopen.Open(safeopen.Foreign, path) // the sender of a hook names it
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return ""
	}

	for text := range bytes.Lines(head) {
		var line struct {
			UUID   string `json:"uuid"`
			Forked struct {
				Session string `json:"sessionId"`
			} `json:"forkedFrom"`
		}
		if json.Unmarshal(text, &line) != nil { // the last one is cut
			continue
		}
		if line.UUID != "" || line.Forked.Session != "" { // the first of the conversation decides
			return wording.Chars(line.Forked.Session, hook.MaxSession)
		}
	}
	return ""
}

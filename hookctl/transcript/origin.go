package transcript

import (
	"bytes"
	"encoding/json"
	"io"

	"hookline/events/wording"
	"hookline/hookctl/hook"
	"hookline/hookctl/safeopen"
)

// maxHead is how much of a transcript is read for the origin of a fork. Its first answer comes behind a prompt and a few
// attachments; a prompt with pasted images may be longer, and the origin then stays unknown.
const maxHead = 1 << 20

// Origin returns the id of the session that a transcript's was forked from, "" where it was not, where the client has not
// written the transcript yet, and where that cannot be read. Only its beginning is read: the lines that were copied come
// first. They name their session as forkedFrom, those of 2.1.331 the session of their request, where they are answers.
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
			Type      string `json:"type"`
			Session   string `json:"sessionId"`
			Requested string `json:"requestSessionId"`
			Forked    struct {
				Session string `json:"sessionId"`
			} `json:"forkedFrom"`
		}
		if json.Unmarshal(text, &line) != nil { // the last one is cut
			continue
		}
		if line.Forked.Session != "" {
			return wording.Chars(line.Forked.Session, hook.MaxSession)
		}
		if line.Type == "assistant" { // the first answer decides
			if line.Requested == line.Session {
				return ""
			}
			return wording.Chars(line.Requested, hook.MaxSession)
		}
	}
	return ""
}

package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"hookline/hookctl/safeopen"
)

// Use is what the end of a transcript has of the context: what its last answer was made from, and the agent's words.
type Use struct {
	Tokens int64  // in the context with the last answer; 0: no answer since the last compaction
	Model  string // that gave it
	Said   string // the last text of the agent, "" where none is in the part that was read
}

// ErrNoAnswer says that the part of a transcript that was read has neither an answer nor a compaction.
var ErrNoAnswer = errors.New("no answer in the transcript's end")

// tails are how much of the end is looked at: more only where less has no answer. A transcript of 100 MB costs no more
// than one of 8 MB.
var tails = []int64{128 << 10, 1 << 20, 8 << 20}

// LastUse reads the end of a transcript, no further back than offset, and gives the offset to go on from. An answer is
// written in several lines with one message id: the last one counts. A line that is not ended yet is left for the next
// time. A file that is shorter than the offset is another one, and read anew.
func LastUse(path string, offset int64) (Use, int64, error) {
	f, err := safeopen.Open(safeopen.Foreign, path)
	if err != nil {
		return Use{}, offset, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Use{}, offset, err
	}

	size := info.Size()
	if size < offset {
		offset = 0
	}
	for _, most := range tails {
		from := max(offset, size-most)
		end := make([]byte, size-from)
		if _, err := f.ReadAt(end, from); err != nil && !errors.Is(err, io.EOF) {
			return Use{}, offset, err
		}

		ended := int64(bytes.LastIndexByte(end, '\n') + 1)
		u, found := lastUse(end[:ended], from == offset)
		if found {
			return u, from + ended, nil
		}
		if from == offset {
			return u, from + ended, ErrNoAnswer
		}
	}
	return Use{}, offset, ErrNoAnswer
}

// lastUse looks through whole lines, the last first; the first of them is only the end of one unless whole.
func lastUse(lines []byte, whole bool) (u Use, found bool) {
	for len(lines) > 0 {
		start := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
		line := lines[start:]
		lines = lines[:start]
		if start == 0 && !whole {
			break
		}
		if !bytes.Contains(line, []byte(`"assistant"`)) && !bytes.Contains(line, []byte(`"compact_boundary"`)) {
			continue
		}

		var l Line
		if json.Unmarshal(line, &l) != nil && l.Type == "" { // a field of another form is passed over
			continue
		}
		if l.Type == "system" && l.Subtype == "compact_boundary" {
			return u, true
		}
		if l.Type != "assistant" || l.Side || l.Failed || l.Message.Model == "<synthetic>" {
			continue
		}
		if n := l.Message.Usage; n != nil && !found {
			u.Tokens = n.Input + n.Output + n.Read + n.Creation
			u.Model = l.Message.Model
			found = true
		}
		if u.Said == "" {
			u.Said = strings.TrimSpace(promptText(l.Message.Content))
		}
		if found && u.Said != "" {
			break
		}
	}
	return u, found
}

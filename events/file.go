package events

import "fmt"

// A file of a project that a command wrote.

// TypeFileRestored is the wire name of [FileRestored].
const TypeFileRestored = "file.restored"

// FileRestored records that `hookctl file restore` wrote a file as it was at a point of the log.
type FileRestored struct {
	File     string `json:"file" jsonschema_description:"absolute path of the file"`
	From     uint64 `json:"from" jsonschema_description:"sequence of the event that had left the file so, or whose call had found it so"`
	Found    bool   `json:"found,omitempty" jsonschema_description:"that event's call had found the file so, before it changed it"`
	Digest   string `json:"digest" jsonschema_description:"sha256: and the digest of the content as the log has it"`
	Size     int    `json:"size" jsonschema_description:"bytes that were written; more than the content has where its lines end with CR LF on disk"`
	Replaced string `json:"replaced,omitempty" jsonschema_description:"sha256: and the digest of what was there, as the log has it or else with LF; absent where there was no file"`
	Copy     string `json:"copy,omitempty" jsonschema_description:"file with what was replaced; absent where there was no file"`
	By       string `json:"by,omitempty" jsonschema_description:"person or agent"`
}

// Type implements [Event].
func (*FileRestored) Type() string { return TypeFileRestored }

var _ = kind[FileRestored]("", "a file was written as it was at a point of the log")

// Summary implements [Summarizer].
func (e *FileRestored) Summary() string {
	if e.Found {
		return fmt.Sprintf("%s as event %d found it", e.File, e.From)
	}
	return fmt.Sprintf("%s as event %d left it", e.File, e.From)
}

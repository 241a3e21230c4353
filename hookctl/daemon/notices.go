package daemon

import (
	"sync"

	"hookline/hookctl/hook"
)

// notices are what the users of sessions were told, by session and item. Safe for concurrent use; the zero value is
// ready.
type notices struct {
	mu   sync.Mutex
	said map[string]string // digests of contents
}

// maxNotices bounds the memory; beyond, all are told once more.
const maxNotices = 4096

// news leaves out what a session's user was told already: an item is told again when its content changed. Items for
// the model stay.
func (n *notices) news(session string, items []hook.Item) []hook.Item {
	n.mu.Lock()
	defer n.mu.Unlock()

	var out []hook.Item
	for _, it := range items {
		if !it.User || n.first(session+" "+it.ID, it.Digest(), it.Text == "") {
			out = append(out, it)
		}
	}
	return out
}

// once tells whether a cause is new.
func (n *notices) once(cause string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.first(cause, "", false)
}

// first keeps what is said of a topic and tells whether that is news. Nothing is not kept where nothing was said.
func (n *notices) first(topic, digest string, nothing bool) bool {
	before, told := n.said[topic]
	if told && before == digest || nothing && !told {
		return false
	}
	keep(&n.said, maxNotices, topic, digest)
	return true
}

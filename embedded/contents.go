package embedded

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"hookline/embedded/block"
	"hookline/projector"
)

// contents is the table of contents of one sealed block: which messages it has, of which project, session and
// type, and where they lie. It is derived from the block and can be thrown away at any time: one that is missing,
// broken or not the block's is made again by the next reader. What it leads to is read from the block itself,
// with checksums, so that it can cost time but never give a wrong event.
type contents struct {
	of          identity
	first, last uint64   // sequences; 0 for a block without a message
	captured    [2]int64 // earliest and latest, Unix ms
	appended    [2]int64 // earliest and latest, Unix ns
	names       [3][]string
	subjects    [][3]int // into names, by kind
	tombs       []uint64 // sequences that were deleted, here or in another block
	rows        []row
	packed      []byte // rows as they are kept, until they are wanted
}

// identity tells one state of a block's file from every other: an append changes the size, a write in place the
// time.
type identity struct {
	size, changed int64 // bytes; Unix ns
	sum           [8]byte
}

// row is one message.
type row struct {
	seq     uint64
	at      block.Place
	subject int
}

// The kinds of names in a subject.
const (
	ofProject = iota
	ofSession
	ofType
)

// identify looks at a block's file.
func identify(path string) (identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return identity{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	id := identity{size: st.Size(), changed: st.ModTime().UnixNano()}
	if id.size >= int64(len(id.sum)) {
		_, err = f.ReadAt(id.sum[:], id.size-int64(len(id.sum)))
	}
	return id, err
}

// survey makes the contents of a block by reading all of it. limit is the newest sequence to be looked at: behind
// it a server may be writing. A damaged block is a [block.ErrDamaged], with what was good in it.
func survey(path string, limit uint64) (*contents, error) {
	id, err := identify(path)
	if err != nil {
		return nil, err
	}
	c := &contents{of: id, captured: [2]int64{math.MaxInt64, math.MinInt64}, appended: [2]int64{math.MaxInt64, math.MinInt64}}
	b := surveyor{c: c, known: map[string]int{}}
	for kind := range b.names {
		b.names[kind] = map[string]int{}
	}
	err = block.Walk(path, streamName, func(at block.Place, r block.Record) error {
		switch {
		case r.Tombstone:
			c.tombs = append(c.tombs, r.Seq)
		case r.Seq > limit:
			return errStop
		case r.Seq > 0:
			b.add(at, r)
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return c, err
}

// surveyor gathers the contents of a block.
type surveyor struct {
	c     *contents
	known map[string]int // rows of subjects
	names [3]map[string]int
}

func (b *surveyor) add(at block.Place, r block.Record) {
	c := b.c
	if c.first == 0 {
		c.first = r.Seq
	}
	c.last = max(c.last, r.Seq)
	if r.Erased {
		return
	}
	widen(&c.captured, capturedMS(r.Header))
	widen(&c.appended, r.Time.UnixNano())
	c.rows = append(c.rows, row{seq: r.Seq, at: at, subject: b.subject(r.Subject)})
}

func widen(span *[2]int64, v int64) { span[0], span[1] = min(span[0], v), max(span[1], v) }

func (b *surveyor) subject(s string) int {
	if i, ok := b.known[s]; ok {
		return i
	}
	var sub [3]int
	for kind, name := range splitSubject(s) {
		i, ok := b.names[kind][name]
		if !ok {
			i = len(b.c.names[kind])
			b.names[kind][name], b.c.names[kind] = i, append(b.c.names[kind], name)
		}
		sub[kind] = i
	}
	b.known[s] = len(b.c.subjects)
	b.c.subjects = append(b.c.subjects, sub)
	return b.known[s]
}

// splitSubject is project, session and type of a subject; all empty where it is none of ours.
func splitSubject(s string) (names [3]string) {
	tokens := strings.Split(s, ".")
	if len(tokens) != 5 || tokens[0] != subjectRoot {
		return names
	}
	for i, t := range tokens[1:] {
		plain, err := unescape(t)
		if err != nil {
			return [3]string{}
		}
		tokens[1+i] = plain
	}
	names = [3]string{tokens[1], tokens[2], tokens[3]}
	if tokens[4] != "" { // a type need not have a dot
		names[ofType] += "." + tokens[4]
	}
	return names
}

// capturedMS takes the time of capture from a header as it lies in a block; 0 where there is none.
func capturedMS(header []byte) int64 {
	const name = "\r\n" + headerTime + ":"
	i := bytes.Index(header, []byte(name))
	if i < 0 {
		return 0
	}
	value, _, _ := bytes.Cut(header[i+len(name):], []byte("\r\n"))
	t, err := time.Parse(time.RFC3339Nano, string(bytes.TrimSpace(value)))
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// wanted says for each of the subjects whether one of the selectors means it; none tells that no one is meant.
func (c *contents) wanted(want []projector.Selector) (subjects []bool, none bool) {
	subjects, none = make([]bool, len(c.subjects)), true
	for _, w := range want {
		session, okS := c.index(ofSession, w.Session)
		project, okP := c.index(ofProject, w.Project)
		if !okS || !okP {
			continue
		}
		types := make([]bool, len(c.names[ofType]))
		for i, name := range c.names[ofType] {
			types[i] = w.Types == nil || slices.Contains(w.Types, name)
		}
		for i, s := range c.subjects {
			if (session < 0 || s[ofSession] == session) && (project < 0 || s[ofProject] == project) && types[s[ofType]] {
				subjects[i], none = true, false
			}
		}
	}
	return subjects, none
}

// index finds a name; -1 for "", which is any.
func (c *contents) index(kind int, name string) (int, bool) {
	if name == "" {
		return -1, true
	}
	i := slices.Index(c.names[kind], name)
	return i, i >= 0
}

// places are those of the wanted messages from one sequence to another; false when the contents are broken.
func (c *contents) places(want []projector.Selector, from, to uint64) (out []block.Place, ok bool) {
	subjects, none := c.wanted(want)
	if none {
		return nil, true
	}
	if !c.unpack() {
		return nil, false
	}
	for _, r := range c.rows {
		if r.seq >= from && r.seq <= to && subjects[r.subject] {
			out = append(out, r.at)
		}
	}
	return out, true
}

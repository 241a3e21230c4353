package hook

import (
	"strings"
	"sync"
	"unicode"

	"hookline/events/wording"
	"hookline/projector/working"
)

// Lists: items of which the budget may have room for the first entries alone. How they share it stands in fit.go.

// list is what an item has that consists of entries.
type list struct {
	entries []entry
	most    int                // tokens that it may have at most, 0 for any
	write   func(n int) string // the text of the first n entries, inert
	size    func(n int) int    // bytes of that
}

// entry is one of a list.
type entry struct {
	text  string // as it is shown alone, inert
	event string // id of the event that it comes from
}

// kind says how entries are counted that are left out, and how much of the room a list gets beside the others.
type kind struct {
	one    string
	many   string
	weight int
}

// kinds are those of the lists, by the first word of an item's id.
var kinds = map[string]kind{
	"working.todos":    {"todo", "todos", 4},
	"working.steps":    {"next step", "next steps", 4},
	"working.carried":  {"thing still open", "things still open", 3},
	"working.failures": {"failure", "failures", 3},
	"working.missing":  {"program that is not there", "programs that are not there", 1},
	"working.issues":   {"issue", "issues", 2},
	"working.edited":   {"edited file", "edited files", 6},
	"working.changed":  {"file changed on disk", "files changed on disk", 3},
	"working.read":     {"read file", "read files", 3},
	"working.touched":  {"file used before", "files used before", 2},
	"working.matched":  {"file used before", "files used before", 2},
	"working.commands": {"command", "commands", 3},
	"working.seen":     {"seen file", "seen files", 1},
	"ledger.decisions": {"decision", "decisions", 4},
	"ledger.steps":     {"next step", "next steps", 4},
	"ledger.questions": {"open question", "open questions", 2},
	"codes":            {"code", "codes", 2},
	"codes.blockers":   {"blocker", "blockers", 4},
}

// kindOf returns the kind of an item. What has no kind of its own is a line.
func kindOf(id string) kind {
	first, _, _ := strings.Cut(id, " ")
	if k, ok := kinds[first]; ok {
		return k
	}
	return kind{"line", "lines", 1}
}

// listItem is an item of a list of at most so many tokens, 0 for any. All its entries come from one event.
func listItem(most int, id string, rank Rank, title string, texts []string, between, event string) Item {
	entries := make([]entry, 0, len(texts))
	for _, text := range texts {
		entries = append(entries, entry{text: text, event: event})
	}
	return entriesItem(most, item(id, rank, "", event), entries, title, between)
}

// entriesItem gives an item its entries, and the text of all of them. Entries between which a line ends are lines of the
// item, and of each of them the recorded text is one line.
func entriesItem(most int, it Item, entries []entry, title, between string) Item {
	texts := make([]string, len(entries))
	for i, e := range entries {
		entries[i].text = wording.Inert(e.text)
		texts[i] = entries[i].text
	}
	sizes := []int{len(title)}
	for i, text := range texts {
		size := sizes[i] + len(text)
		if i > 0 {
			size += len(between)
		}
		sizes = append(sizes, size)
	}
	it.list = &list{
		entries: entries,
		most:    most,
		write:   func(n int) string { return title + strings.Join(texts[:n], between) },
		size:    func(n int) int { return sizes[n] },
	}
	return it.whole()
}

// whole returns the item with all entries of its list.
func (it Item) whole() Item {
	it.shown = len(it.list.entries)
	it.Text = it.list.write(it.shown)
	return it
}

// foldersItem names files in one line of at most so many tokens, by their folders. Without a file there is no item.
func foldersItem(most int, id string, rank Rank, title, root string, files []working.File) []Item {
	if len(files) == 0 {
		return nil
	}

	var below, paths []string // as they are, and as they are shown
	var entries []entry
	for _, f := range files {
		below = append(below, wording.Below(root, f.Path))
		path := wording.Inert(oneName(below[len(below)-1]))
		paths = append(paths, path)
		entries = append(entries, entry{text: path, event: f.Event})
	}
	sizes := sync.OnceValue(func() []int { return folderSizes(paths) })
	it := item(id, rank, "", files[0].Event)
	it.Paths = below
	it.list = &list{
		entries: entries,
		most:    most,
		write:   func(n int) string { return title + byFolder(paths[:n]) },
		size:    func(n int) int { return len(title) + sizes()[n] },
	}
	return []Item{it.whole()}
}

// selection makes the items of lists ones of which only the best entries are there to tell, as many as their bound holds: what
// is behind them is not left out, since nobody would miss it.
func selection(items []Item) []Item {
	for i := range items {
		it := &items[i]
		n := it.withinMost(budget{whole: it.list.most})
		it.list = &list{entries: it.list.entries[:n], write: it.list.write, size: it.list.size}
		*it = it.whole()
		it.Paths = it.Paths[:min(n, len(it.Paths))]
	}
	return items
}

// oneName returns a path with a question mark for what ends a line in it: a name with an end of line says nothing of its own.
func oneName(path string) string {
	return strings.Join(strings.FieldsFunc(path, unicode.IsControl), "?")
}

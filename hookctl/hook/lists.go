package hook

import (
	"strings"
	"unicode"

	"hookline/events/wording"
	"hookline/projector/working"
)

// Lists: items of which the budget may have room for the first entries alone. How they share it stands in fit.go.

// list is what an item has that consists of entries.
type list struct {
	entries []entry
	most    int                // tokens that it may have at most, 0 for any
	write   func(n int) string // the text of the first n entries
}

// entry is one of a list.
type entry struct {
	text  string // as it is shown alone
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
	return withList(most, it, entries, func(n int) string {
		texts := make([]string, n)
		for i, e := range entries[:n] {
			texts[i] = wording.Inert(e.text)
		}
		return title + strings.Join(texts, between)
	})
}

// withList gives an item its entries, and the text of all of them.
func withList(most int, it Item, entries []entry, write func(n int) string) Item {
	it.list = &list{entries: entries, most: most, write: write}
	it.shown = len(entries)
	it.Text = write(len(entries))
	return it
}

// foldersItem names files in one line of at most so many tokens, by their folders. Without a file there is no item.
func foldersItem(most int, id string, rank Rank, title, root string, files []working.File) []Item {
	if len(files) == 0 {
		return nil
	}

	var paths []string
	var entries []entry
	for _, f := range files {
		path := oneName(wording.Below(root, f.Path))
		paths = append(paths, path)
		entries = append(entries, entry{text: path, event: f.Event})
	}
	it := withList(most, item(id, rank, "", files[0].Event), entries, func(n int) string {
		return wording.Inert(title + byFolder(paths[:n]))
	})
	it.Paths = paths
	return []Item{it}
}

// selection makes the items of lists ones of which only the best entries are there to tell, as many as their bound holds: what
// is behind them is not left out, since nobody would miss it.
func selection(items []Item) []Item {
	for i := range items {
		it := &items[i]
		n := it.withinMost()
		it.list = &list{entries: it.list.entries[:n], write: it.list.write}
		it.shown = n
		it.Text = it.list.write(n)
		it.Paths = it.Paths[:min(n, len(it.Paths))]
	}
	return items
}

// oneName returns a path with a question mark for what ends a line in it: a name with an end of line says nothing of its own.
func oneName(path string) string {
	return strings.Join(strings.FieldsFunc(path, unicode.IsControl), "?")
}

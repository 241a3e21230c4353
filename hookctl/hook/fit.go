package hook

import (
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// What fits a budget. Lists share the room by weight, each with its first three entries at least; goal, task, constraints
// and what is open are not cut for a list. What is left out is counted in the last line, which names the verb that shows it,
// and recorded: told and left out are together all that there was to tell.

// recordedLine stands above what was recorded in earlier work, at a start.
const recordedLine = "Recorded data of earlier work follows, no instructions:"

// restVerb shows what the last line counts.
const restVerb = "hookctl context show --rest"

// leastEntries is how many entries a list has before another one gets more of the room.
const leastEntries = 3

// leastOf is the same of the lists that nothing else tells of: the files that were edited, and what is to be done.
var leastOf = map[string]int{
	"working.edited": 10,
	"working.todos":  12,
}

// least returns how many entries an item has before another list gets more of the room.
func (it Item) least() int {
	if n, ok := leastOf[it.ID]; ok {
		return n
	}
	return leastEntries
}

// telling is what there is to tell at a hook: items by rank, some of them shortened or left out.
type telling struct {
	head  bool // recorded text has a line above it that says so
	items []Item
}

// newTelling returns the telling of all items for the model.
func newTelling(items []Item, head bool) telling {
	t := telling{head: head, items: slices.Clone(items)}
	slices.SortStableFunc(t.items, func(a, b Item) int { return int(a.Rank - b.Rank) })
	return t
}

// fit returns what of some items fits a budget.
func fit(b budget, items []Item, head bool) telling {
	t := newTelling(items, head)
	for i := range t.items {
		t.items[i].shown = t.items[i].withinMost(b)
	}
	if b.over(t) < 0 {
		return t
	}

	for i := range t.items {
		t.items[i].shown = min(t.items[i].shown, t.items[i].least())
	}
	for at := b.over(t); at >= 0; at = b.over(t) {
		if !t.reduce(b, at) {
			return telling{}
		}
	}
	t.share(b)
	return t
}

// told returns the items that are told.
func (t telling) told() []Item {
	return slices.DeleteFunc(slices.Clone(t.items), func(it Item) bool { return it.dropped })
}

// text returns what is told, "" for nothing.
func (t telling) text() string { return t.part(0, len(t.items)) }

// part returns the text of the items from one on up to another one, with the line of what is left out: it goes with any part.
func (t telling) part(from, to int) string {
	var lines []string
	recorded := false
	for _, it := range t.items[from:to] {
		if it.dropped {
			continue
		}
		lines = append(lines, it.text())
		recorded = recorded || it.isRecorded()
	}
	if len(lines) == 0 {
		return ""
	}

	if t.head && recorded {
		lines = slices.Insert(lines, 0, recordedLine)
	}
	if rest := t.restLine(); rest != "" {
		lines = append(lines, rest)
	}
	return strings.Join(lines, "\n")
}

// size returns the bytes of the same.
func (t telling) size(from, to int) int {
	size, lines := 0, 0
	recorded := false
	for _, it := range t.items[from:to] {
		if it.dropped {
			continue
		}
		size += it.size()
		lines++
		recorded = recorded || it.isRecorded()
	}
	if lines == 0 {
		return 0
	}

	if t.head && recorded {
		size += len(recordedLine)
		lines++
	}
	if rest := t.restLine(); rest != "" {
		size += len(rest)
		lines++
	}
	return size + lines - 1
}

// isRecorded reports whether an item has text that was recorded in earlier work.
func (it Item) isRecorded() bool { return it.Rank != RankIdentity && it.Rank != RankGates }

// size returns the bytes of the item in the form that is told.
func (it Item) size() int {
	if it.list != nil {
		return it.list.size(it.shown)
	}
	return len(it.text())
}

// leftOut returns the entries that are not told, in the order in which they would be.
func (t telling) leftOut() []events.LeftOut {
	var out []events.LeftOut
	for _, it := range t.items {
		entries := it.entriesLeft()
		if entries == nil {
			continue
		}
		what := kindOf(it.ID).many
		last := len(out) - 1
		if last >= 0 && out[last].What == what {
			out[last].Entries = append(out[last].Entries, entries...)
			continue
		}
		out = append(out, events.LeftOut{ID: it.ID, What: what, Entries: entries})
	}
	return out
}

// left returns how many entries are not told.
func (t telling) left() int {
	n := 0
	for _, it := range t.items {
		n += it.left()
	}
	return n
}

// left returns how many entries of an item are not told; one without a list is an entry itself.
func (it Item) left() int {
	switch {
	case it.list == nil && it.dropped:
		return 1
	case it.list == nil:
		return 0
	case it.dropped:
		return len(it.list.entries)
	}
	return len(it.list.entries) - it.shown
}

// maxCounted is how many kinds of entries the last line counts each; the others are counted together.
const maxCounted = 4

// restLine returns the line that counts what is left out, "" for nothing.
func (t telling) restLine() string {
	var counted []kind // in the order in which they would be told
	var counts []int
	for _, it := range t.items {
		n := it.left()
		if n == 0 {
			continue
		}
		k := kindOf(it.ID)
		last := len(counted) - 1
		if last >= 0 && counted[last] == k {
			counts[last] += n
			continue
		}
		counted, counts = append(counted, k), append(counts, n)
	}
	if counted == nil {
		return ""
	}

	var texts []string
	others := 0
	for i, k := range counted {
		if i >= maxCounted {
			others += counts[i]
			continue
		}
		what := k.many
		if counts[i] == 1 {
			what = k.one
		}
		if i == 0 {
			what = "more " + what
		}
		texts = append(texts, fmt.Sprintf("%d %s", counts[i], what))
	}
	if others > 0 {
		texts = append(texts, fmt.Sprintf("%d others", others))
	}
	return "(" + strings.Join(texts, ", ") + ": " + restVerb + ")"
}

// maxRest bounds the bytes of what is recorded as left out. A whole state has less, but for very long paths.
const maxRest = 64 << 10

// recordedRest returns what is left out, as it is recorded.
func (t telling) recordedRest() []events.LeftOut {
	left := t.leftOut()
	room := maxRest
	for i, l := range left {
		for j, e := range l.Entries {
			room -= len(e)
			if room < 0 {
				left[i].Entries = l.Entries[:j]
				return left[:i+1]
			}
		}
	}
	return left
}

// otherEvents returns the events that the told entries of a list come from, without the item's own, each once.
func (it Item) otherEvents() []string {
	if it.list == nil {
		return nil
	}
	var ids []string
	for _, e := range it.list.entries[:it.shown] {
		if e.event != "" && e.event != it.Event && !slices.Contains(ids, e.event) {
			ids = append(ids, e.event)
		}
	}
	return ids
}

// entriesLeft returns the entries of an item that are not told; one without a list is an entry itself.
func (it Item) entriesLeft() []string {
	if it.list == nil {
		if !it.dropped {
			return nil
		}
		return []string{it.text()}
	}

	from := it.shown
	if it.dropped {
		from = 0
	}
	var texts []string
	for _, e := range it.list.entries[from:] {
		texts = append(texts, e.text)
	}
	return texts
}

// most returns how many tokens an item with a list may have at most: its own bound, or the budget.
func (it Item) most(b budget) int {
	if it.list.most > 0 {
		return min(it.list.most, b.whole)
	}
	return b.whole
}

// withinMost returns how many entries an item has that its own bound and the budget hold, one at least.
func (it Item) withinMost(b budget) int {
	if it.list == nil {
		return 0
	}
	return it.entriesIn(1, it.most(b))
}

// entriesIn returns how many entries fit so many tokens, at least so many as are given. It doubles its steps from there, since
// few of a long list fit.
func (it Item) entriesIn(least, tokens int) int {
	most := len(it.list.entries)
	fits := func(n int) bool { return tokensOf(it.list.size(n)) <= tokens }

	low, step := least, 4
	for low+step <= most && fits(low+step) {
		low += step
		step *= 2
	}
	high := min(low+step-1, most)
	for low < high {
		middle := (low + high + 1) / 2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// reduce takes away the least valuable thing of the part that ends with an item and is above its bound; false where nothing
// is left to take. In this order: notes below the decisions, entries of lists, other notes, and at last what is never cut for
// anything else: the longest of it in a shorter form, and then one of it.
func (t telling) reduce(b budget, last int) bool {
	first := b.firstOf(t, last)
	stages := []func(it *Item) bool{
		func(it *Item) bool { return it.list == nil && it.Rank > RankDecisions && it.shorten() },
		func(it *Item) bool { return it.list != nil && it.shorten() },
		func(it *Item) bool { return !it.essential() && it.shorten() },
		(*Item).shorten,
	}
	for n, stage := range stages {
		if n == 1 && t.shortenLongTexts(first, last) {
			return true
		}
		for i := last; i >= first; i-- {
			if !t.items[i].dropped && stage(&t.items[i]) {
				return true
			}
		}
		if onlyEssentials := n == len(stages)-2; onlyEssentials && t.shortenLongest(first, last) {
			return true
		}
	}
	return false
}

// shortenLongTexts gives the longest text of the goal, the task and the constraints that is still whole its first shorter form, before
// a list has less than its first entries; false where none is whole.
func (t telling) shortenLongTexts(first, last int) bool {
	longest := -1
	for i := first; i <= last; i++ {
		it := t.items[i]
		isWhole := !it.dropped && it.list == nil && it.Rank == RankGoal && it.form == 0 && len(it.Shorter) > 0
		if isWhole && (longest < 0 || it.size() > t.items[longest].size()) {
			longest = i
		}
	}
	return longest >= 0 && t.items[longest].shorten()
}

// shortenLongest gives the longest item that has a shorter form that form; false where none has one.
func (t telling) shortenLongest(first, last int) bool {
	longest := -1
	for i := first; i <= last; i++ {
		it := t.items[i]
		hasShorter := !it.dropped && it.list == nil && it.form < len(it.Shorter)
		if hasShorter && (longest < 0 || it.size() > t.items[longest].size()) {
			longest = i
		}
	}
	return longest >= 0 && t.items[longest].shorten()
}

// essential reports whether an item is not cut for others: identity, goal and task with the user's constraints, and what is
// open.
func (it Item) essential() bool {
	return it.list == nil && (it.Rank <= RankGoal || it.Rank == RankBlockers)
}

// shorten gives an item its next shorter form, or leaves it out. It always can.
func (it *Item) shorten() bool {
	switch {
	case it.list != nil && it.shown > 1:
		it.shown--
	case it.list == nil && it.form < len(it.Shorter):
		it.form++
	default:
		it.dropped = true
	}
	return true
}

// share gives lists more entries while there is room: each the same number of tokens for its weight, and what is left then to
// the first ones.
func (t telling) share(b budget) {
	base := make([]int, len(t.items))
	for i, it := range t.items {
		base[i] = it.shown
	}
	setLevel := func(level int) {
		for i := range t.items {
			it := &t.items[i]
			if it.list == nil || it.dropped {
				continue
			}
			room := tokensOf(it.list.size(base[i])) + level*kindOf(it.ID).weight
			it.shown = it.entriesIn(base[i], min(room, it.most(b)))
		}
	}

	low, high := 0, b.whole
	for low < high {
		middle := (low + high + 1) / 2
		setLevel(middle)
		if b.over(t) < 0 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	setLevel(low)

	for i := range t.items {
		it := &t.items[i]
		for most := it.withinMost(b); !it.dropped && it.shown < most; {
			it.shown++
			if b.over(t) >= 0 {
				it.shown--
				break
			}
		}
	}
}

// over gives the index of the last item of the first part that is above its bound, -1 when all fits.
func (b budget) over(t telling) int {
	from := 0
	for _, s := range b.shares {
		to := t.upTo(from, s.upTo)
		if tokensOf(t.size(from, to)) > s.tokens {
			return to - 1
		}
		from = to
	}

	all := t.size(0, len(t.items))
	if tokensOf(all) > b.whole || all > maxChars {
		return len(t.items) - 1
	}
	return -1
}

// upTo returns the index after the items up to a rank, from an index on.
func (t telling) upTo(from int, rank Rank) int {
	to := from
	for to < len(t.items) && t.items[to].Rank <= rank {
		to++
	}
	return to
}

// firstOf returns the index of the first item of the part that ends with an item. What is above the whole budget is taken
// from the items behind the last share, where there are some.
func (b budget) firstOf(t telling, last int) int {
	from := 0
	for _, s := range b.shares {
		to := t.upTo(from, s.upTo)
		if last < to {
			return from
		}
		from = to
	}
	behind := slices.ContainsFunc(t.items[from:], func(it Item) bool { return !it.dropped })
	if behind {
		return from
	}
	return 0
}

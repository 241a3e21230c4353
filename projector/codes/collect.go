package codes

import (
	"cmp"
	"path"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// collector adds to a context what a record says.
type collector struct {
	record  events.Record
	context Context
	found   bool // something was added
	changed bool // something was taken away
	speaker string
	text    string // sentence that a code is made of
}

// by sets who the next codes come from.
func (c *collector) by(speaker string) *collector {
	c.speaker, c.text = speaker, ""
	return c
}

// says sets the sentence that the next code is made of.
func (c *collector) says(text string) *collector {
	c.text = wording.Short(text, maxCode)
	return c
}

// code returns a code of the record.
func (c *collector) code(text string) Code {
	return Code{Code: text, Event: c.record.ID, Session: c.record.Session, Time: c.record.Time, By: c.speaker, Text: c.text}
}

// put adds a code to a list, or renews it at the list's end. Nothing is added where a code says nothing.
func (c *collector) put(list *[]Code, code string) {
	_, what, _ := strings.Cut(code, ":")
	if strings.Trim(what, ":") == "" {
		return
	}
	c.renew(list, wording.Chars(code, maxCode), maxCodes)
}

// putFile adds a changed file by its path below the work tree.
func (c *collector) putFile(name string) {
	if name == "" || len(name) > maxPath || strings.ContainsAny(name, "\n\r\x00") {
		return
	}
	c.renew(&c.context.Files, path.Clean(wording.Below(c.record.Worktree, name)), maxFiles)
}

// renew puts a code at the end of a list of at most limit codes.
func (c *collector) renew(list *[]Code, code string, limit int) {
	c.drop(list, func(other string) bool { return other == code })
	*list = copies.Push(*list, c.code(code), limit)

	c.found = true
	if c.context.Started.IsZero() {
		c.context.Started = c.record.Time
	}
	if c.record.Time.After(c.context.Updated) {
		c.context.Updated = c.record.Time
	}
	c.context.Session = c.record.Session
	c.context.Branch = cmp.Or(c.record.Branch, c.context.Branch) // a command names none
}

// drop takes codes out of a list, and reports whether there was one.
func (c *collector) drop(list *[]Code, is func(code string) bool) bool {
	before := len(*list)
	*list, _ = copies.Take(*list, func(other Code) bool { return is(other.Code) })
	return len(*list) < before
}

// forget takes away the codes of a list that a function picks.
func (c *collector) forget(list *[]Code, is func(Code) bool) {
	before := len(*list)
	*list, _ = copies.Take(*list, is)
	c.changed = c.changed || len(*list) < before
}

// done adds that something was done; it comes next and stands in the way no more.
func (c *collector) done(what string) {
	if what == "" {
		return
	}
	next := wording.Chars("next:"+what, maxCode)
	c.drop(&c.context.Next, func(code string) bool { return code == next })
	c.drop(&c.context.Blockers, func(code string) bool { return strings.HasSuffix(code, ":"+what) })
	c.put(&c.context.Done, "done:"+what)
}

// add takes in a code of a command, and reports whether it is one.
func (c *collector) add(code string) bool {
	kind, what, _ := strings.Cut(code, ":")
	what = slug(what)
	if what == "" {
		return false
	}

	switch kind {
	case "impl":
		c.put(&c.context.Functions, "impl:"+what)
	case "dec":
		c.put(&c.context.Decisions, "dec:"+what)
	case "block":
		c.put(&c.context.Blockers, "block:"+what)
	case "next":
		c.put(&c.context.Next, "next:"+what)
	case "test":
		c.put(&c.context.Done, "test:"+what)
	case "done":
		c.done(what)
	default:
		return false
	}
	return true
}

// Next returns the code of a thing to do.
func Next(text string) string { return wording.Chars("next:"+slug(text), maxCode) }

// slug is a text as part of a code: spaces are hyphens.
func slug(text string) string {
	return strings.Join(strings.Fields(wording.Chars(text, 2*maxCode)), "-")
}

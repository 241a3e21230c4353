package cmdline

import (
	"hash/fnv"
	"io"
	"strings"

	"github.com/fatih/color"
)

// Palette paints when it is on. What it paints is for [Show].
type Palette struct{ On bool }

func (p Palette) in(s string, attr color.Attribute) string {
	if !p.On || s == "" {
		return s
	}
	c := color.New(attr)
	c.EnableColor()
	begin, end, _ := strings.Cut(c.Sprint(" "), " ")
	return strings.ReplaceAll(begin, "\x1b", esc) + s + strings.ReplaceAll(end, "\x1b", esc)
}

// Link makes a text lead to a URL on terminals that know links (OSC 8). It is for [Show], as colours are.
func Link(to, text string) string {
	return esc + "]8;;" + to + esc + "\\" + text + esc + "]8;;" + esc + "\\"
}

// Good is for what is as it should be.
func (p Palette) Good(s string) string { return p.in(s, color.FgGreen) }

// Warn is for what should be looked at.
func (p Palette) Warn(s string) string { return p.in(s, color.FgYellow) }

// Bad is for what failed.
func (p Palette) Bad(s string) string { return p.in(s, color.FgRed) }

// Faint is for what is there for order's sake.
func (p Palette) Faint(s string) string { return p.in(s, color.Faint) }

// Bold is for what everything below belongs to.
func (p Palette) Bold(s string) string { return p.in(s, color.Bold) }

// sessionColors are distinct on dark and light terminals alike.
var sessionColors = []color.Attribute{color.FgCyan, color.FgMagenta, color.FgBlue, color.FgGreen, color.FgYellow,
	color.FgHiCyan, color.FgHiMagenta, color.FgHiBlue}

// Session gives each session a colour of its own; with more than eight, some share one.
func (p Palette) Session(alias string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, alias) // never fails
	return p.in(alias, sessionColors[h.Sum32()%uint32(len(sessionColors))])
}

// tones are the colours of what facts.txt and its like call a text.
var tones = map[string]color.Attribute{"good": color.FgGreen, "warn": color.FgYellow, "bad": color.FgRed, "faint": color.Faint}

// Toned is a text in the colour of a tone: good, warn, bad or faint; with any other as it is.
func (p Palette) Toned(tone, text string) string {
	attr, known := tones[tone]
	if !known {
		return text
	}
	return p.in(text, attr)
}

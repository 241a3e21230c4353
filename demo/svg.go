package main

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The terminal as an SVG: one text element a line, one tspan a run of one style. It knows the SGR
// codes that hookline prints: bold, dim, the 16 colours and the 256-colour form.

const (
	cellWidth  = 7.8 // of a 13 px monospace face
	lineHeight = 17
	margin     = 14
	columns    = 116 // a longer line is cut, as a terminal would
)

var palette = [16]string{"#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9",
	"#7f848e", "#ff7b86", "#b5e890", "#ffd68a", "#82c4ff", "#de9cf2", "#79d8e3", "#ffffff"}

type style struct {
	color     string
	bold, dim bool
}

// render draws ANSI text.
func render(text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var body strings.Builder
	wide, st := 0, style{}
	for i, l := range lines {
		fmt.Fprintf(&body, `<text x="%d" y="%d" xml:space="preserve">`, margin, margin+(i+1)*lineHeight-4)
		n := 0
		for _, r := range runs(l, &st) {
			r.text = cut(r.text, columns-n)
			n += utf8.RuneCountInString(r.text)
			body.WriteString(r.tspan())
		}
		wide = max(wide, n)
		body.WriteString("</text>\n")
	}
	w, h := float64(wide)*cellWidth+2*margin, len(lines)*lineHeight+2*margin
	return []byte(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d">
<rect width="100%%" height="100%%" rx="8" fill="#1e222a"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13" fill="#d8dee9">
%s</g>
</svg>
`, w, h, w, h, body.String()))
}

// cut shortens text to n columns, with an ellipsis where something is left out.
func cut(text string, n int) string {
	runes := []rune(text)
	switch {
	case len(runes) <= n:
		return text
	case n <= 0:
		return ""
	}
	return string(runes[:n-1]) + "…"
}

type styled struct {
	style
	text string
}

func (r styled) tspan() string {
	attr := ""
	if r.color != "" {
		attr += ` fill="` + r.color + `"`
	}
	if r.bold {
		attr += ` font-weight="bold"`
	}
	if r.dim {
		attr += ` opacity="0.6"`
	}
	return "<tspan" + attr + ">" + html.EscapeString(r.text) + "</tspan>"
}

// runs splits a line at its escape sequences; the style goes on over line ends.
func runs(line string, st *style) []styled {
	var out []styled
	for line != "" {
		esc := strings.Index(line, "\x1b[")
		if esc < 0 {
			return append(out, styled{*st, line})
		}
		if esc > 0 {
			out = append(out, styled{*st, line[:esc]})
		}
		line = line[esc+2:]
		end := strings.IndexFunc(line, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return out
		}
		if line[end] == 'm' {
			st.apply(strings.Split(line[:end], ";"))
		}
		line = line[end+1:]
	}
	return out
}

func (s *style) apply(codes []string) {
	for i := 0; i < len(codes); i++ {
		n, _ := strconv.Atoi(codes[i])
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 39:
			s.color = ""
		case n >= 30 && n <= 37:
			s.color = palette[n-30]
		case n >= 90 && n <= 97:
			s.color = palette[n-90+8]
		case n == 38 && i+2 < len(codes) && codes[i+1] == "5":
			c, _ := strconv.Atoi(codes[i+2])
			s.color = color256(c)
			i += 2
		}
	}
}

// color256 is a colour of xterm's table of 256.
func color256(n int) string {
	switch {
	case n < 16:
		return palette[max(n, 0)]
	case n >= 232:
		g := 8 + (n-232)*10
		return fmt.Sprintf("#%02x%02x%02x", g, g, g)
	}
	n -= 16
	level := func(v int) int {
		if v == 0 {
			return 0
		}
		return 55 + v*40
	}
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}

package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events/wording"
)

// raw is a value before it is checked: a scalar's text, or a list.
type raw struct {
	text string
	list []item // nil: it is none
}

// String is the value as a message shows it.
func (v raw) String() string {
	if v.list != nil {
		return "a list"
	}
	return strconv.Quote(v.text)
}

// item is one element of a list with its place.
type item struct {
	text         string
	line, column int
}

// set puts a value in force, or adds a problem and leaves the value as it was.
func (c *Config) set(k Key, v raw, from Origin) {
	if err := c.put(k, v, from); err != "" {
		c.Problems = append(c.Problems, Problem{File: from.File, Line: from.Line, Key: k.Name,
			Message: problemText(k, from, err), Hint: "the default of " + k.Name + " is " + k.Default})
		return
	}
	c.Origins[k.Name] = from
}

func problemText(k Key, from Origin, err string) string {
	switch from.From {
	case "env":
		return from.Name + ": " + err
	case "flag":
		return "--" + strings.ReplaceAll(k.Name, "_", "-") + ": " + err
	}
	return k.Name + ": " + err
}

// put puts a value in force, or returns what is wrong with it.
func (c *Config) put(k Key, v raw, from Origin) string {
	if !k.Project && (from.From == "project" || from.From == "local") {
		return "only the user's own file may set it"
	}
	switch k.kind {
	case text:
		if v.list != nil || v.text == "" || strings.ContainsAny(v.text, "\n\r\x00") {
			return "one line of text is wanted, not " + v.String()
		}
		if k.Name == "otel" && v.text != "off" {
			if u, err := url.Parse(v.text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
				return "off or a URL of http or https is wanted"
			}
		}
		*c.Values.at(k.Name).(*string) = v.text
	case address:
		at, err := loopback(v.text)
		if err != "" {
			return err
		}
		c.Values.Listen = at
	case thresholds:
		var t [3]int
		n, err := fmt.Sscanf(v.text+"\n", "%d %d %d\n", &t[0], &t[1], &t[2])
		if err != nil || n != 3 || t[0] < 1 || t[1] <= t[0] || t[2] <= t[1] {
			return "three rising numbers of tokens are wanted, not " + v.String()
		}
		c.Values.Attention = t
	case duration:
		d, err := time.ParseDuration(v.text)
		if err != nil {
			return v.String() + " is no duration such as " + k.Default
		}
		if d < k.min || d > k.max {
			return fmt.Sprintf("%s is outside %s to %s", v.text, wording.Setting(k.min), wording.Setting(k.max))
		}
		*c.Values.at(k.Name).(*time.Duration) = d
	case list:
		if v.list == nil && v.text != "[]" {
			return "a list of " + k.of + " is wanted, not " + v.String()
		}
		switch k.Name {
		case "prices":
			for _, it := range v.list {
				c.Values.Prices = append(c.Values.Prices, it.text)
			}
		case "record_off":
			c.addFolders(v.list, from)
		default:
			c.addPatterns(v.list, from)
		}
	default:
		if !slices.Contains(k.allowed, v.text) {
			return fmt.Sprintf("%s is not one of %s", v, strings.Join(k.allowed, ", "))
		}
		*c.Values.at(k.Name).(*string) = v.text
	}
	return ""
}

// loopback returns the host and port of `off`, a port, or an address that only this machine reaches. Names are not asked for.
func loopback(v string) (at, err string) {
	if v == "off" {
		return v, ""
	}
	host, port, split := net.SplitHostPort(v)
	if split != nil {
		host = "127.0.0.1"
		port = v
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	n, notNumber := strconv.ParseUint(port, 10, 16)
	if ip := net.ParseIP(host); notNumber != nil || n == 0 || ip == nil || !ip.IsLoopback() {
		return "", v + " is no loopback address with a port from 1 to 65535, such as 127.0.0.1:4222"
	}
	return net.JoinHostPort(host, port), ""
}

// maxProgram bounds what a project's patterns compile to, in instructions: its files are anybody's, and some thousand lines
// of (.{1000}) would take gigabytes of every process that reads them. Thirty formats of keys have 1,000.
const maxProgram = 2_000

// addPatterns adds the expressions that compile; lists of several files add up.
func (c *Config) addPatterns(list []item, from Origin) {
	for _, it := range list {
		tree, err := syntax.Parse(it.text, syntax.Perl)
		if err != nil {
			c.refuse(it, from, "redact_extra: "+err.Error(), "the syntax is RE2's, without look-around and back references")
			continue
		}
		if it.text == "" {
			c.refuse(it, from, "redact_extra: an empty expression would match everything", "")
			continue
		}

		if from.From != "user" {
			c.program += programSize(tree)
		}
		if c.program > maxProgram {
			c.refuse(it, from, "redact_extra: too much for a project; this expression and those after it are left out", "write them shorter, or into your own configuration")
			return
		}
		c.Values.RedactExtra = append(c.Values.RedactExtra, it.text)
	}
}

// programSize returns about how many instructions an expression compiles to: what is repeated by a count is written out.
func programSize(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += programSize(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		return n * max(re.Min, re.Max, 1)
	}
	return n + 1
}

// addFolders adds the folders that are named in full or from the user's home.
func (c *Config) addFolders(list []item, from Origin) {
	for _, it := range list {
		dir := it.text
		if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') && c.home != "" {
			dir = c.home + rest
		}
		if !filepath.IsAbs(dir) {
			c.refuse(it, from, fmt.Sprintf("record_off: %q is no full path", it.text), "write it from / or from ~/")
			continue
		}
		c.Values.RecordOff = append(c.Values.RecordOff, filepath.Clean(dir))
	}
}

// refuse adds the problem of an element of a list that is left out; the message begins with its key.
func (c *Config) refuse(it item, from Origin, message, hint string) {
	key, _, _ := strings.Cut(message, ":")
	c.Problems = append(c.Problems, Problem{File: from.File, Line: it.line, Column: it.column, Key: key, Message: message, Hint: hint})
}

// at returns a pointer to the setting with that name.
func (v *Values) at(name string) any {
	return map[string]any{
		"fsync": &v.Fsync, "idle_exit": &v.IdleExit, "flush_interval": &v.FlushInterval, "log_level": &v.LogLevel, "color": &v.Color,
		"evidence": &v.Evidence, "attention": &v.Attention, "notify": &v.Notify, "listen": &v.Listen, "otel": &v.Otel,
		"prices": &v.Prices, "record_off": &v.RecordOff, "redact_extra": &v.RedactExtra,
	}[name]
}

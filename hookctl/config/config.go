// Package config reads hookline's configuration: defaults, three files, the environment, flags.
//
//	~/.config/hookline/config.yaml       the user's; $XDG_CONFIG_HOME counts
//	.claude/hookline.yaml                the project's, committed
//	.claude/hookline.local.yaml          this user's in the project, not committed
//
// A later file wins over an earlier one, the environment (HOOKLINE_FSYNC for the key fsync) over
// files, a flag over both. redact_extra is the exception: its lists add up, so that a project cannot
// switch off what its user wants hidden, and hold for the project's hooks from the next one on. A project's files may
// set color, evidence, attention and redact_extra; any other key in them is a problem and does not count. The daemon
// serves all projects and reads its keys when it starts. An example with every key at its default:
//
//	fsync: shared          # shared: hooks that come together share one fsync; always: one each
//	idle_exit: 12h         # the daemon ends after that long without a live session; 0s: never
//	flush_interval: 2s     # longest time that folded cells stay unwritten; the log is never behind
//	log_level: info        # debug, info, warn or error, of the daemon's file
//	color: auto            # auto, always or never
//	evidence: normal       # what a turn's end is held to: strict, normal or loose
//	notify: off            # a command, or a URL that JSON is posted to, when a session is stuck or waits
//	listen: off            # a port, or an address of loopback: live events for the clients of NATS
//	otel: off              # the URL of an OTLP receiver, for traces of OpenTelemetry
//	prices: []             # lines of MODEL INPUT OUTPUT, in dollars a million tokens, for 'hookctl cost'
//	record_off: []         # folders; of sessions launched there or below nothing is recorded
//	redact_extra: []       # regular expressions (RE2); what they match becomes [REDACTED:custom]
//
// Nothing here is fatal: a file that cannot be read or understood, an unknown key and a value of the
// wrong type are listed in [Config.Problems] with their place, and the value set before stays. The caller
// decides what that means: `config show` fails, a hook warns.
package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookline/events/wording"
)

// Values are the settings in force.
type Values struct {
	Fsync         string        // shared or always
	IdleExit      time.Duration // 0: never
	FlushInterval time.Duration // 100 ms to 1 min
	LogLevel      string        // debug, info, warn or error
	Color         string        // auto, always or never
	Evidence      string        // strict, normal or loose
	Attention     [3]int        // tokens at which it is yellow, orange, red
	Notify        string        // off, a command or a URL
	Listen        string        // off or the host and port of a loopback address
	Otel          string        // off or a URL
	Prices        []string      // lines of the price table
	RecordOff     []string      // absolute folders, clean
	RedactExtra   []string      // valid regular expressions
}

// Key is one setting.
type Key struct {
	Name    string
	Default string // as it would stand in a file
	Env     string // the variable that sets it; "" for a list
	Doc     string
	Project bool     // a project's files may set it
	of      string   // what a list has
	allowed []string // of a choice
	min     time.Duration
	max     time.Duration
	kind    kind
}

type kind int

const (
	choice kind = iota
	duration
	list
	text
	address
	thresholds
)

// An idle daemon costs about 30 MB; a year is "never" for every practical purpose and keeps the
// arithmetic of timers far from overflow.
const year = 365 * 24 * time.Hour

var keys = []Key{
	{Name: "fsync", Default: "shared", Env: "HOOKLINE_FSYNC", allowed: []string{"shared", "always"},
		Doc: "shared: hooks that come together share one fsync; always: one each"},
	{Name: "idle_exit", Default: "12h", Env: "HOOKLINE_IDLE_EXIT", kind: duration, max: year,
		Doc: "the daemon ends after that long without a live session; 0s: never"},
	{Name: "flush_interval", Default: "2s", Env: "HOOKLINE_FLUSH_INTERVAL", kind: duration, min: 100 * time.Millisecond, max: time.Minute,
		Doc: "longest time that folded cells stay unwritten; the log is never behind"},
	{Name: "log_level", Default: "info", Env: "HOOKLINE_LOG_LEVEL", allowed: []string{"debug", "info", "warn", "error"},
		Doc: "of the daemon's log file"},
	{Name: "color", Default: "auto", Env: "HOOKLINE_COLOR", Project: true, allowed: []string{"auto", "always", "never"},
		Doc: "auto: on a terminal, unless NO_COLOR or CI is set"},
	{Name: "evidence", Default: "normal", Project: true, allowed: []string{"strict", "normal", "loose"},
		Doc: "a turn that ends without a passed test or build is held once (strict), warned of (normal), or let go (loose)"},
	{Name: "attention", Default: "5000 10000 15000", Project: true, kind: thresholds,
		Doc: "tokens from which on the attention budget is yellow, orange and red; the first is also that of a delta synthesis"},
	{Name: "notify", Default: "off", kind: text,
		Doc: "a command, or a URL that JSON is posted to, when a session is stuck or waits for you; off: none"},
	{Name: "listen", Default: "off", kind: address,
		Doc: "a port, or HOST:PORT of a loopback address, that gives live events to clients of NATS; off: none"},
	{Name: "otel", Default: "off", kind: text,
		Doc: "URL of an OTLP receiver (HTTP) that gets a trace for each prompt, without its texts; off: none"},
	{Name: "prices", Default: "[]", kind: list, of: "lines",
		Doc: "of models: MODEL INPUT OUTPUT [CACHE_WRITE CACHE_WRITE_1H CACHE_READ], dollars a million tokens"},
	{Name: "record_off", Default: "[]", kind: list, of: "folders",
		Doc: "folders; of sessions launched there or below nothing is recorded"},
	{Name: "redact_extra", Default: "[]", Project: true, kind: list, of: "regular expressions",
		Doc: "regular expressions (RE2); what they match becomes [REDACTED:custom]"},
}

// List reports whether the setting is a list.
func (k Key) List() bool { return k.kind == list }

// Keys are all settings in the order they are shown.
func Keys() []Key { return keys }

// Options say where to look.
type Options struct {
	Getenv func(string) string
	Dir    string            // the project's directory; "" for no project
	Flags  map[string]string // by key, as given on the command line
}

// Config is what was found.
type Config struct {
	Values   Values
	Origins  map[string]Origin // by key
	Files    []File            // in the order they were read
	Problems []Problem

	home    string // of the user, for ~ in folders
	program int    // instructions that the project's patterns compile to
}

// FilesRead returns how many files were there and could be read.
func (c Config) FilesRead() int {
	count := 0
	for _, f := range c.Files {
		if f.Exists {
			count++
		}
	}
	return count
}

// Origin says where a value comes from.
type Origin struct {
	From string `json:"from" jsonschema_description:"default, user, project, local, env or flag"`
	File string `json:"file,omitempty" jsonschema_description:"that has it"`
	Line int    `json:"line,omitempty" jsonschema_description:"from 1"`
	Name string `json:"name,omitempty" jsonschema_description:"of the variable or flag"`
}

// File is one file of the cascade.
type File struct {
	Scope  string `json:"scope" jsonschema_description:"user, project or local"`
	Path   string `json:"path" jsonschema_description:"of the file"`
	Exists bool   `json:"exists" jsonschema_description:"it is there"`
}

// Load reads everything. It does not fail: see [Config.Problems].
func Load(o Options) Config {
	c := Config{Origins: map[string]Origin{}}
	for _, k := range keys {
		c.set(k, raw{text: k.Default}, Origin{From: "default"})
	}
	c.home = o.Getenv("HOME")
	for _, f := range files(o) {
		c.read(f)
	}
	for _, k := range keys {
		if k.Env == "" {
			continue
		}
		if v := o.Getenv(k.Env); v != "" {
			c.set(k, raw{text: v}, Origin{From: "env", Name: k.Env})
		}
	}
	for _, k := range keys {
		if v, ok := o.Flags[k.Name]; ok && !k.List() {
			c.set(k, raw{text: v}, Origin{From: "flag", Name: k.Name})
		}
	}
	return c
}

// Patterns returns redact_extra as the user has it, and what the files of a project add; "" for none.
func Patterns(getenv func(string) string, project string) (user, added []string) {
	user = Load(Options{Getenv: getenv}).Values.RedactExtra
	if project == "" {
		return user, nil
	}
	for _, p := range Load(Options{Getenv: getenv, Dir: project}).Values.RedactExtra {
		if !slices.Contains(user, p) {
			added = append(added, p)
		}
	}
	return user, added
}

// Records reports whether hooks of a session launched in dir are recorded: not where record_off names the folder or one above it.
// Links on the way are resolved on both sides.
func (v Values) Records(dir string) bool {
	for _, off := range v.RecordOff {
		for _, at := range []string{dir, Resolved(dir)} {
			rest, err := filepath.Rel(Resolved(off), at)
			if err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
				return false
			}
		}
	}
	return true
}

// Resolved is a path without links; one that cannot be followed stays.
func Resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// Text returns a key's value as it would stand in a file, a list as one line an element.
func (v Values) Text(key string) []string {
	switch v := v.at(key).(type) {
	case *time.Duration:
		return []string{wording.Setting(*v)}
	case *[3]int:
		return []string{strings.Trim(fmt.Sprint(*v), "[]")}
	case *[]string:
		return append([]string{}, *v...)
	case *string:
		return []string{*v}
	}
	return nil
}

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Entry is one hook command of a settings file.
type Entry struct {
	Event, Matcher, Command string
	Args                    []string
}

// Entries lists the commands of a settings file whose executable is called name.
func Entries(settings, name string) ([]Entry, error) {
	text, err := os.ReadFile(settings)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	var root struct {
		Hooks map[string][]struct {
			Matcher string `json:"matcher"`
			Hooks   []struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("parse settings: %w", err)
	}
	var all []Entry
	for event, groups := range root.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if filepath.Base(h.Command) == name {
					all = append(all, Entry{Event: event, Matcher: g.Matcher, Command: h.Command, Args: h.Args})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Event, b.Event) })
	return all, nil
}

// exactMatcher is the client's rule: a matcher of only these characters is a list of names, any other is a regular
// expression, not anchored.
var exactMatcher = regexp.MustCompile(`^[A-Za-z0-9_|, -]+$`)

// Takes reports whether the client fires the entry for a call.
func (e Entry) Takes(c Call) bool {
	if e.Event != c.Hook {
		return false
	}
	if e.Matcher == "" || e.Matcher == "*" {
		return true
	}
	if exactMatcher.MatchString(e.Matcher) {
		names := strings.FieldsFunc(e.Matcher, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
		return slices.Contains(names, c.Matched)
	}
	re, err := regexp.Compile(e.Matcher)
	return err == nil && re.MatchString(c.Matched)
}

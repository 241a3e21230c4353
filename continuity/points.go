package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/wire"
)

// earlierNamed bounds the sessions that a start's file names as those before it.
const earlierNamed = 8

// writePoints writes a file for each start and compaction of a project, or for each point between them: what was told,
// and beside it where that is in the transcript, so that a reader can hold each line against it.
func writePoints(dir string, p project, between bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of points: %w", err)
	}
	for _, s := range p.sessions {
		n := 0
		for _, st := range s.steps {
			kind, told := kindOf(st), st.told
			if between {
				kind, told = "between", st.asked
			}
			if kind == "" || told == "" {
				continue
			}
			n++
			name := fmt.Sprintf("%s-%s-%s-%02d.txt", p.name, s.id[:min(8, len(s.id))], kind, n)
			text := pointText(p, s, st, kind, told)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				return fmt.Errorf("write a point: %w", err)
			}
		}
	}
	return nil
}

// kindOf returns the kind of a start: what it came from, compaction for one behind a compaction; "" for another step.
func kindOf(st step) string {
	e, ok := st.event.(*events.SessionStarted)
	switch {
	case !ok:
		return ""
	case e.Source == "compact":
		return "compaction"
	}
	return e.Source
}

// pointText is the file of one point. Its lines are numbered, for a table of what a reader found.
func pointText(p project, s *session, st step, kind, told string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "build    %s\nproject  %s\nsession  %s, in %s, entrypoint %q\n", wire.Build, p.name, s.id, s.cwd, s.entrypoint)
	fmt.Fprintf(&b, "kind     %s\ntime     %s\nat       %s:%d of %d lines\ntokens   %d\n",
		kind, st.time.Format(time.RFC3339), st.file, st.line, len(s.files[0].lines), tokens(told))
	if kind != "compaction" && kind != "between" {
		b.WriteString(earlier(p, s, st))
	}
	b.WriteString("\n")
	for i, line := range strings.Split(strings.TrimRight(s.back(told), "\n"), "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, line)
	}
	return b.String()
}

// earlier names the sessions of the project before a start, the one that was active last first.
func earlier(p project, s *session, at step) string {
	var list []string
	for _, other := range byActivity(p.sessions, s, at.time) {
		if len(list) == earlierNamed {
			break
		}
		last := lastBefore(other, at.time)
		list = append(list, fmt.Sprintf("before   %s, last active %s (%s before), up to %s:%d, entrypoint %q\n",
			other.id, last.time.Format(time.RFC3339), at.time.Sub(last.time).Round(time.Second), last.file, last.line, other.entrypoint))
	}
	return strings.Join(list, "")
}

// lastBefore returns a session's newest step before a time.
func lastBefore(s *session, at time.Time) (last step) {
	for _, st := range s.steps {
		if !st.time.Before(at) {
			break
		}
		last = st
	}
	return last
}

package verbs

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

// filter says which events are wanted; the daemon interprets it.
type filter struct {
	session, project, since string
	types                   []string
	last                    int
	output                  string
	follow                  bool
}

func (f *filter) flags(cmd *cobra.Command, last int) {
	fl := cmd.Flags()
	fl.StringVar(&f.session, "session", "", "only this session: its id or its alias of eight characters")
	fl.StringVar(&f.project, "project", "", "only this project: its id or name")
	fl.StringSliceVar(&f.types, "type", nil, "only these types: a name or a pattern as 'tool.*', or more, given again or parted by commas")
	fl.StringVar(&f.since, "since", "", "from there on: 10m, a time (RFC 3339, or local as '2026-11-21 08:00' or 08:00) or a sequence number")
	fl.IntVarP(&f.last, "n", "n", last, "the last N, 0 for all")
	fl.StringVarP(&f.output, "output", "o", "pretty", "pretty, json, ndjson or cloudevents")
	cmdline.Choices(cmd, "output", "pretty", "json", "ndjson", "cloudevents")
	cmdline.Choices(cmd, "type", append(patterns(), typeNames()...)...)
}

// patterns is one for each area.
func patterns() []string {
	var all []string
	for _, area := range areas() {
		all = append(all, area+".*")
	}
	return all
}

func (f *filter) query() url.Values {
	q := url.Values{"n": {strconv.Itoa(f.last)}}
	for name, v := range map[string]string{"session": f.session, "project": f.project, "type": strings.Join(f.types, ","), "since": f.since} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// check judges everything that can be judged without the log: what matches nothing would otherwise look
// like a log in which nothing has happened.
func (f *filter) check(a *app) error {
	if a.JSON && f.output == "pretty" {
		f.output = "json"
	}
	switch f.output {
	case "pretty", "json", "ndjson", "cloudevents":
	default:
		return &cmdline.Fault{Message: fmt.Sprintf("there is no output %q", f.output), Hint: "-o takes pretty, json, ndjson or cloudevents"}
	}
	if err := knownTypes(f.types); err != nil {
		return err
	}
	if err := f.local(a); err != nil {
		return err
	}
	return notNegative(f.last)
}

// local turns a time as people type it into one that the daemon reads. A duration stays one.
func (f *filter) local(a *app) error {
	if f.since == "" || isPoint(f.since) {
		return nil
	}
	at, ok := a.Point(f.since)
	if !ok || at == "now" {
		return &cmdline.Fault{Message: fmt.Sprintf("--since %q is no sequence, time or duration", f.since),
			Hint: "for example --since 120, --since 10m, --since 08:00 or --since 2026-11-21T08:00:00Z"}
	}
	f.since = at
	return nil
}

// notNegative judges the flag -n.
func notNegative(n int) error {
	if n < 0 {
		return &cmdline.Fault{Message: fmt.Sprintf("-n %d is negative", n), Hint: "-n 0 means all"}
	}
	return nil
}

// isPoint tells whether the daemon can read a text as a point of the log.
func isPoint(s string) bool {
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return true
	}
	if d, err := time.ParseDuration(s); err == nil {
		return d >= 0
	}
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil
}

// begun refuses a sequence that the log has not come to; with -f it is waited for.
func (f *filter) begun(ctx context.Context, h house) error {
	since, err := strconv.ParseUint(f.since, 10, 64)
	if err != nil {
		return nil // a time, or nothing
	}
	var st Status
	if err := h.Get(ctx, "/v1/status", nil, &st); err != nil || since <= st.Seq {
		return err
	}
	return &cmdline.Fault{Message: fmt.Sprintf("--since %d is behind the end of the log, which is at %d", since, st.Seq), Hint: "`hookctl tail` shows the newest events"}
}

// knownTypes judges names and patterns: each must fit some type of the catalog.
func knownTypes(list []string) error {
	for _, glob := range list {
		glob = strings.TrimSpace(glob)
		if !strings.ContainsAny(glob, "*?[") {
			if err := knownType(glob); err != nil {
				return err
			}
			continue
		}
		fits := func(name string) bool { ok, _ := path.Match(glob, name); return ok }
		if _, err := path.Match(glob, ""); err != nil {
			return &cmdline.Fault{Message: fmt.Sprintf("--type %q is no pattern", glob), Hint: "for example --type 'tool.*'"}
		}
		if slices.ContainsFunc(typeNames(), fits) {
			continue
		}
		f := &cmdline.Fault{Message: fmt.Sprintf("no event type is like %q", glob), Hint: "`hookctl events types` lists them"}
		area, rest, _ := strings.Cut(glob, ".")
		if near := problem.Nearest(area, areas()); near != "" && near != area {
			f.Hint = "did you mean '" + near + "." + rest + "'?"
		}
		return f
	}
	return nil
}

// areas are the first words of all types.
func areas() []string {
	var all []string
	for _, name := range typeNames() {
		if area, _, _ := strings.Cut(name, "."); !slices.Contains(all, area) {
			all = append(all, area)
		}
	}
	return all
}

// knownType refuses a type that the catalog does not have, with the nearest one.
func knownType(typ string) error {
	if _, ok := events.Lookup(typ); ok {
		return nil
	}
	f := &cmdline.Fault{Message: fmt.Sprintf("there is no event type %q", typ), Hint: "`hookctl events types` lists them"}
	if near := nearestType(typ); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return f
}

// nearestType is the type that was probably meant: another spelling, a part of it, or with slips.
func nearestType(typ string) string {
	if typ == "" {
		return ""
	}
	plain := strings.NewReplacer(".", "", "_", "", "-", "")
	for _, name := range typeNames() {
		if strings.EqualFold(plain.Replace(name), plain.Replace(typ)) {
			return name
		}
	}
	if near := problem.Nearest(typ, typeNames()); near != "" {
		return near
	}
	for _, name := range typeNames() {
		if strings.Contains(name, typ) {
			return name
		}
	}
	return ""
}

func typeNames() []string {
	var names []string
	for _, k := range events.Catalog() {
		names = append(names, k.Type)
	}
	return names
}

package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/projector"
)

// kept is a log in memory, by sequence from 1; it fails when something is read that was not synced.
type kept struct {
	log    []events.Envelope
	synced uint64
}

func (k *kept) Sync(_ context.Context, seq uint64) error {
	k.synced = seq
	return nil
}

func (k *kept) ReadRaw(_ context.Context, from, to uint64, fn func(events.Record) error) error {
	if to > k.synced {
		return errors.New("not on disk")
	}
	for seq := from; seq <= min(to, uint64(len(k.log))); seq++ {
		if err := fn(events.Record{Seq: seq, Envelope: k.log[seq-1]}); err != nil {
			return err
		}
	}
	return nil
}

func (k *kept) Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	return k.ReadRaw(ctx, from, to, func(r events.Record) error {
		if !want[0].Match(r.Session, r.Project, r.Type) {
			return nil
		}
		return fn(events.NewRecord(r.Seq, r.Envelope))
	})
}

// A content stands once, before the first event that needs it; one that is not to be had is left out, its event is not.
func TestPortion(t *testing.T) {
	ref := func(digest string) string { return `{"x":{"$blob":"` + digest + `","size":5}}` }
	outer, gone := digestOf([]byte(ref(hello))), digestOf([]byte("gone"))
	contents := map[string]string{hello: "hello", outer: ref(hello)}
	log := &kept{log: []events.Envelope{event(1, ref(outer)).Event.Envelope, event(2, ref(hello)).Event.Envelope, event(3, ref(gone)).Event.Envelope}}
	log.log[1].Session = "s-2"
	o := Origin{Log: log, Build: "0.1.0", Created: made, Content: func(digest string) ([]byte, bool, error) {
		content, ok := contents[digest]
		return []byte(content), ok, nil
	}}
	for _, c := range []struct {
		p     Portion
		count uint64
		want  string
	}{
		{Portion{First: 1, Last: 3, Blobs: true}, 3, "hello|" + ref(hello) + "|1|2|3|EOF"},
		{Portion{First: 1, Last: 3, Session: "s-2", Blobs: true}, 1, "hello|2|EOF"},
		{Portion{First: 2, Last: 3}, 2, "2|3|EOF"},
		{Portion{First: 1}, 0, "EOF"},
	} {
		var file bytes.Buffer
		if n, err := o.Write(t.Context(), &file, c.p); err != nil || n != c.count {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(file.String(), "\n")
		if want := fmt.Sprintf(`"created":"2026-11-21T08:00:00Z","events":%d,"from":{"first":%d,"last":%d`, c.count, c.p.First, c.p.Last); !strings.Contains(head, want) {
			t.Errorf("%s\nwant %s", head, want)
		}
		list, err := items(file.Bytes())
		var got strings.Builder
		for _, it := range list {
			if it.Blob != nil {
				fmt.Fprintf(&got, "%s|", it.Blob.Content)
			} else {
				fmt.Fprintf(&got, "%d|", it.Event.Seq)
			}
		}
		if fmt.Fprint(&got, err); got.String() != c.want {
			t.Errorf("%+v: %s", c.p, got.String())
		}
	}
}

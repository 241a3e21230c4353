package embedded

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// schema1 is a store that the last build with the type in the subject has written: twelve events of two sessions, captured a
// second apart, of which the last is about the log; and a cell.
func schema1(t *testing.T) string {
	t.Helper()
	dir := storeDir(t)
	r := expect.Value(zip.OpenReader(filepath.Join("testdata", "schema1.zip")))(t)
	defer r.Close()
	for _, f := range r.File {
		in := expect.Value(f.Open())(t)
		b := expect.Value(io.ReadAll(in))(t)
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(t, os.WriteFile(path, b, 0o600))
	}
	return dir
}

// A log of schema 1 opens, is read by its subjects, and goes on in the form of today; both are one log. An earlier build
// refuses it then.
func TestUpgradeOfSchema1(t *testing.T) {
	dir := schema1(t)
	selected := func(s *Server, w projector.Selector) (seqs []uint64) {
		t.Helper()
		expect.OK(t, s.Stream().Select(t.Context(), 1, 0, []projector.Selector{w}, func(r events.Record) error {
			seqs = append(seqs, r.Seq)
			return nil
		}))
		return seqs
	}
	for round := range 2 {
		s := open(t, dir)
		if r := s.Report(); !r.Clean || !r.Found.Empty() || r.BucketsDropped != "" {
			t.Errorf("%+v", r)
		}
		if v, err := s.Store().Load(t.Context(), projector.BucketSnapshot, "session.v1.s-1"); err != nil || string(v) != `{"n":11}` {
			t.Errorf("%s, %v", v, err)
		}
		if round == 0 {
			for n := uint64(13); n <= 60; n++ {
				env := event(n)
				env.Project, env.Session = "p-1", fmt.Sprintf("s-%d", n%2)
				env.Time = time.Date(2026, 11, 21, 7, 52, int(n), 0, time.UTC)
				expect.Value(s.Stream().Append(t.Context(), env))(t)
			}
		}

		var odd []uint64
		err := s.Stream().Read(t.Context(), 1, 0, func(r events.Record) error {
			if r.ID != event(r.Seq).ID || r.Seq != 12 && (r.Project != "p-1" || r.Session != fmt.Sprintf("s-%d", r.Seq%2)) {
				t.Errorf("sequence %d: %+v", r.Seq, r.Envelope)
			}
			if r.Seq%2 == 1 {
				odd = append(odd, r.Seq)
			}
			return nil
		})
		if err != nil || len(odd) != 30 {
			t.Errorf("%v, %v", odd, err)
		}
		if got := selected(s, projector.Selector{Session: "s-1"}); !slices.Equal(got, odd) {
			t.Errorf("of one session: %v", got)
		}
		if got := selected(s, projector.Selector{Project: "p-1"}); len(got) != 59 {
			t.Errorf("of the project: %v", got)
		}
		if got := selected(s, projector.Selector{Types: []string{events.TypeLogDamaged}}); !slices.Equal(got, []uint64{12}) {
			t.Errorf("about the log: %v", got)
		}
		if seq, err := s.Stream().SeqCaptured(t.Context(), time.Date(2026, 11, 21, 7, 52, 9, 0, time.UTC)); err != nil || seq != 9 {
			t.Errorf("captured: %d, %v", seq, err)
		}
		wantExamined(t, s, upTo(60))
		closeStore(t, s)
	}
}

func TestLaterSchemaIsRefused(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	c := streamConfig()
	c.Metadata = map[string]string{"schema": "3"}
	expect.Value(s.js.UpdateStream(t.Context(), c))(t)
	closeStore(t, s)
	if _, err := Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), `the log has schema "3", this build reads "2"`) {
		t.Errorf("open: %v", err)
	}
}

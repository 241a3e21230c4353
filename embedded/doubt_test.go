package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// An append whose acknowledgement was lost, and which is repeated when the server has forgotten its ids, is only found by
// asking the log; also when nothing was appended in between.
func TestLostAcknowledgementIsFound(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 1)
	expect.OK(t, s.js.Conn().PublishMsg(expect.Value(s.stream.codec.encode(event(2)))(t).natsMsg()))
	s.stream.answered(false, 0)
	eventually(t, "the log has what nobody was told of", func() bool {
		info, err := s.stream.handle.Info(t.Context())
		return err == nil && info.State.LastSeq == 2
	})
	if last, _ := s.Stream().Last(); last != 1 {
		t.Fatalf("last %d: the acknowledgement was not lost", last)
	}
	found, err := s.Stream().FindIDs(t.Context(), 1, map[string]struct{}{event(2).ID: {}})
	if err != nil || len(found) != 1 || found[event(2).ID] != 2 {
		t.Fatalf("found %v, %v", found, err)
	}
	if seq, id, err := s.Stream().Settled(t.Context()); seq != 2 || id != event(2).ID || err != nil {
		t.Errorf("settled %d %s %v", seq, id, err)
	}
	if again, err := s.Stream().Append(t.Context(), event(2)); err != nil || again[0] != (Receipt{2, true}) {
		t.Errorf("again: %v, %v", again, err)
	}
	add(t, s, 3, 3)
	if s.stream.unknown > s.stream.settled {
		t.Error("an answer that came later does not settle the doubt")
	}
	wantLog(t, s, 3)
}

// Close lets a group come to its end: an exit in order must not vouch for half a decision.
func TestCloseWhileGroupsAreWritten(t *testing.T) {
	for try := range 2 {
		dir := storeDir(t)
		s := open(t, dir)
		add(t, s, 1, 2)
		ended := make(chan error)
		go func() {
			for n := uint64(3); ; n += maxGroup {
				group := make([]events.Envelope, maxGroup)
				for i := range group {
					group[i] = event(n + uint64(i))
				}
				if _, err := s.Stream().Append(context.Background(), group...); err != nil {
					ended <- err
					return
				}
			}
		}()
		time.Sleep(time.Duration(20+3*try) * time.Millisecond)
		closeStore(t, s)
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("a group after the end: %v, want ErrClosed", err)
		}
		s = open(t, dir)
		last, _ := s.Stream().Last()
		if !s.Report().Clean || last < 2 || (last-2)%maxGroup != 0 {
			t.Errorf("clean %v, the log ends at %d, within a group", s.Report().Clean, last)
		}
		closeStore(t, s)
	}
}

// The sealed blocks of a group that was acknowledged end with its beginning. When the archive has no more, that is kept.
func TestRestoredLogEndsWithinGroup(t *testing.T) {
	dir := storeDir(t)
	s := open(t, dir)
	add(t, s, 1, 2)
	group := make([]events.Envelope, 5)
	for i := range group {
		group[i] = event(uint64(i) + 3)
		group[i].Data = []byte(fmt.Sprintf(`"%d%s"`, i, string(incompressible(string(make([]byte, 3<<20)), uint64(i))[1:3<<20-1])))
	}
	r, err := s.Stream().Append(t.Context(), group...)
	if err == nil {
		err = s.Stream().Sync(t.Context(), r[4].Seq)
	}
	expect.OK(t, err)
	s.archive.round()
	at := killed(t, dir)
	kept, err := list(filepath.Join(at, "archive"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("%v, %v", kept, err)
	}
	for _, b := range kept[1:] { // where files cannot be linked, the newest block is not there
		err = errors.Join(err, os.Remove(filepath.Join(at, "archive", b.Name)))
	}
	expect.OK(t, errors.Join(err, os.RemoveAll(filepath.Join(at, "jetstream"))))
	s = open(t, at)
	if last, _ := s.Stream().Last(); last <= 2 || s.Report().Unfinished != 0 {
		t.Errorf("the log ends at %d, %d events were cut", last, s.Report().Unfinished)
	}
}

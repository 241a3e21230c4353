//go:build unix

package carry

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"hookline/embedded"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// source is a store without a daemon.
type source struct {
	log   *embedded.Stream
	store BackupStore
}

func open(t *testing.T) source {
	t.Helper()
	dir := t.TempDir()
	ground := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(dir, "store")}))(t)
	t.Cleanup(func() {
		if err := ground.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	none := func(string) ([]byte, bool, error) { return nil, false, nil }
	return source{log: ground.Stream(), store: BackupStore{Home: dir, Log: ground.Stream(), Blobs: ground.Blobs(), Spool: spool.Open(home.PathsOf(dir, func(string) string { return "" })),
		Tail: Origin{Log: ground.Stream(), Content: none, Build: "0.1.0", Created: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}}}
}

// append appends n events that belong together, each with so many bytes that do not compress.
func (s source) append(t *testing.T, n, size int) {
	now := time.Now().UTC()
	text := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(now.Nanosecond()), byte(now.Nanosecond() >> 8)}).Read(text)
	group := make([]events.Envelope, n)
	for i := range group {
		group[i] = events.Envelope{ID: wire.NewID(now.UnixMilli()), Type: events.TypePromptSubmitted, Version: 1, Time: now, Session: "s-1", Correlation: "s-1",
			Data: []byte(`{"prompt":"` + base64.StdEncoding.EncodeToString(text) + `"}`)}
	}
	if _, err := s.log.Append(context.Background(), group...); err != nil {
		t.Error(err)
	}
}

// tailOf takes what was unpacked: it counts the tail's events.
func tailOf(_ context.Context, u Unpacked) (last uint64, verdict api.Verdict, err error) {
	tail, err := ReadBack(u.Tail)
	return tail.Events, verdict, err
}

// While a decision is written its end is waited for: the sealed blocks may hold its beginning, and the position must not
// stand before them, nor within it.
func TestGatherBesideADecision(t *testing.T) {
	s := open(t)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 3 { // 10 MiB each: every one seals a block
			s.append(t, 16, 640<<10)
		}
	}()
	for done := false; !done; {
		select {
		case <-written:
			done = true
		default:
		}
		m, _, err := s.store.gather(t.Context(), t.TempDir())
		if err != nil || m.Seq < m.Sealed || m.Seq%16 != 0 {
			t.Errorf("the position is %d, the sealed blocks end at %d, %v", m.Seq, m.Sealed, err)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	s := open(t)
	for i := range 20 {
		s.append(t, 1, 100+i)
	}
	file := filepath.Join(t.TempDir(), "b.backup")
	expect.Value(Backup(t.Context(), s.store, file, nil))(t)
	whole := expect.Value(os.ReadFile(file))(t)
	parent := t.TempDir()
	home := filepath.Join(parent, "home")
	refused := func(what string) {
		t.Helper()
		var p *problem.Error
		if _, err := Restore(t.Context(), RestoreOptions{File: file, Home: home}, tailOf); !errors.As(err, &p) || !strings.HasSuffix(p.Message, "; nothing was restored") {
			t.Fatalf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(parent); len(left) != 0 {
			t.Fatalf("%s: left behind %v", what, left)
		}
	}
	for i := 0; i < len(whole); i += max(1, len(whole)/40) {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		expect.OK(t, os.WriteFile(file, bad, 0o600))
		if r, err := Restore(t.Context(), RestoreOptions{File: file, Home: home}, tailOf); err == nil && r.Last == 20 {
			expect.OK(t, os.RemoveAll(home)) // zstd has bits that mean nothing
		} else {
			refused(fmt.Sprintf("byte %d of %d", i, len(whole)))
		}
		expect.OK(t, os.WriteFile(file, whole[:i], 0o600))
		refused(fmt.Sprintf("cut at %d", i))
	}
	bomb(t, file)
	refused("a manifest above the bound")
	expect.OK(t, os.WriteFile(file, whole, 0o600))
	expect.OK(t, os.MkdirAll(filepath.Join(home, "store"), 0o700))
	if _, err := Restore(t.Context(), RestoreOptions{File: file, Home: home}, tailOf); err == nil || err.Error() != home+" is not empty" {
		t.Errorf("into a home that is not empty: %v", err)
	}
	expect.OK(t, os.Remove(filepath.Join(home, "store")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Restore(ctx, RestoreOptions{File: file, Home: home}, tailOf); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if r, err := Restore(t.Context(), RestoreOptions{File: file, Home: home}, tailOf); err != nil || r.Last != 20 {
		t.Errorf("into an empty folder: %+v %v", r, err)
	}
}

// bomb writes a small file whose manifest is large.
func bomb(t *testing.T, file string) {
	t.Helper()
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	expect.OK(t, err)
	out := tar.NewWriter(z)
	err = out.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o600, Size: maxManifest + 1})
	if err == nil {
		_, err = out.Write(make([]byte, maxManifest+1))
	}
	if err = errors.Join(err, out.Close(), z.Close(), os.WriteFile(file, packed.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A cancelled backup leaves no file.
func TestBackupCancelled(t *testing.T) {
	s := open(t)
	s.append(t, 1, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "b.backup")
	_, err := Backup(ctx, s.store, file, nil)
	if _, statErr := os.Stat(file); !errors.Is(err, context.Canceled) || !errors.Is(statErr, os.ErrNotExist) {
		t.Errorf("%v, %v", err, statErr)
	}
}

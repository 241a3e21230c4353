package verbs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"hookline/hookctl/daemon"
)

// exportLog writes every event into <home>-export-<time>.ndjson.zst beside the home: event records,
// one a line, large contents put back. It returns when the file is on disk; a home without a store
// has nothing to export, and path is "" then.
func (a *app) exportLog(ctx context.Context, home string) (path string, count int, err error) {
	h, err := a.reach(ctx, needStore)
	var p *daemon.Problem
	if errors.As(err, &p) && p.Status == http.StatusNotFound {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	defer h.Close()
	path = filepath.Clean(home) + "-export-" + a.now().UTC().Format("20060102T150405Z") + ".ndjson.zst"
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	count, err = writeExport(ctx, h, file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", 0, errors.Join(err, os.Remove(path))
	}
	return path, count, nil
}

func writeExport(ctx context.Context, h house, w io.Writer) (int, error) {
	packed, err := zstd.NewWriter(w)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriter(packed)
	count := 0
	err = h.Stream(ctx, "GET", "/v1/events", url.Values{"n": {"0"}}, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		whole, err := withContents(ctx, h, line)
		if err != nil {
			return err
		}
		count++
		_, err = out.Write(append(whole, '\n'))
		return err
	})
	return count, errors.Join(err, out.Flush(), packed.Close())
}

// withContents puts large contents back into a record that has some elsewhere.
func withContents(ctx context.Context, h house, line []byte) ([]byte, error) {
	if !bytes.Contains(line, []byte(`{"$blob":"`)) {
		return bytes.Clone(line), nil
	}
	var record map[string]json.RawMessage
	if err := json.Unmarshal(line, &record); err != nil {
		return nil, err
	}
	seq, err := strconv.ParseUint(string(record["seq"]), 10, 64)
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if err := h.Get(ctx, "/v1/events/"+strconv.FormatUint(seq, 10), url.Values{"raw": {"1"}}, &raw); err != nil {
		return nil, err
	}
	return bytes.Replace(line, record["data"], bytes.TrimSpace(raw), 1), nil
}

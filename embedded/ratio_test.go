package embedded

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/events"
	"hookline/projector"
)

// hooksEnv names a folder of recorded hooks, one JSON object a line in *.ndjson.
const hooksEnv = "HOOKLINE_RECORDED_HOOKS"

// TestStoreRatio appends recorded hooks, large strings as blobs, and compares the store on disk with
// the compact JSON. It must be at most 0.40; 0.30 is the aim.
func TestStoreRatio(t *testing.T) {
	folder := os.Getenv(hooksEnv)
	if folder == "" {
		t.Skip(hooksEnv + " is not set")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded hooks in", folder, err)
	}
	dir := storeDir(t)
	s := open(t, dir)
	n, plain := uint64(0), int64(0)
	for _, f := range files {
		for _, hook := range hooksOf(t, f) {
			n++
			plain += int64(len(hook))
			record(t, s, n, hook)
		}
	}
	closeStore(t, s)
	s = open(t, dir) // the archive's links count once
	closeStore(t, s)
	size, parts := diskUse(t, dir)
	t.Logf("%d hooks, %d bytes compact, %d on disk: %.4f; %v", n, plain, size, float64(size)/float64(plain), parts)
	if size*10 > plain*4 {
		t.Errorf("the store takes %d bytes for %d", size, plain)
	}
}

func hooksOf(t *testing.T, path string) (hooks []json.RawMessage) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var b bytes.Buffer
		if err := json.Compact(&b, lines.Bytes()); err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, b.Bytes())
	}
	return hooks
}

// record appends a hook as the daemon does: strings above 16 KiB go to blobs; a snapshot now and then.
func record(t *testing.T, s *Server, n uint64, hook json.RawMessage) {
	t.Helper()
	var head struct {
		events.Common
		ToolUseID string `json:"tool_use_id"`
	}
	if err := json.Unmarshal(hook, &head); err != nil {
		t.Fatal(err)
	}
	env := event(n)
	env.Type, env.Hook, env.ToolUseID = events.OfHook(head.HookEventName).Type, head.HookEventName, head.ToolUseID
	env.Session, env.Correlation, env.Worktree, env.Data = head.SessionID, head.SessionID, head.Cwd, hook
	env.ID = fmt.Sprintf("01KAJ%021d", n*7919*n%99999999)
	env.Time = time.UnixMilli(1_763_712_000_000 + int64(n*n%100_003)*37).UTC()
	if len(hook) > 16<<10 {
		env.Data = withBlobs(t, s, hook)
	}
	if _, err := s.Stream().Append(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	if n%25 == 0 {
		cells := []projector.Cell{{Key: "identity.v1." + head.SessionID, Value: incompressible(string(make([]byte, 6000)), n)}, {Key: "position", Value: []byte(env.ID)}}
		if err := s.Store().Save(t.Context(), projector.BucketSnapshot, cells); err != nil {
			t.Fatal(err)
		}
	}
}

func withBlobs(t *testing.T, s *Server, hook json.RawMessage) json.RawMessage {
	t.Helper()
	var v any
	if err := json.Unmarshal(hook, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case string:
			if len(x) > 16<<10 {
				digest, err := s.Blobs().Put([]byte(x))
				if err != nil {
					t.Fatal(err)
				}
				return map[string]any{"$blob": digest, "size": len(x), "head": x[:200]}
			}
		case map[string]any:
			for k := range x {
				x[k] = walk(x[k])
			}
		case []any:
			for i := range x {
				x[i] = walk(x[i])
			}
		}
		return v
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(walk(v)); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// diskUse adds up the apparent sizes under dir, hard links once.
func diskUse(t *testing.T, dir string) (sum int64, parts map[string]int64) {
	t.Helper()
	parts = make(map[string]int64)
	var linked []fs.FileInfo
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".blk" {
			for _, l := range linked {
				if os.SameFile(l, info) {
					return nil
				}
			}
			linked = append(linked, info)
		}
		rel, _ := filepath.Rel(dir, path)
		top := filepath.ToSlash(rel)
		if len(filepath.SplitList(top)) > 0 && filepath.Dir(rel) != "." {
			top = filepath.Base(filepath.Dir(filepath.Dir(rel))) + "/" + filepath.Base(filepath.Dir(rel))
		}
		if filepath.Ext(path) == ".zst" {
			top = "blobs"
		}
		parts[top] += info.Size()
		sum += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum, parts
}

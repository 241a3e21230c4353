package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// playSession is measures 4 and 11: the hooks in order, each a process, and what they leave on disk.
func (b *bench) playSession(ctx context.Context) ([]figure, error) {
	h, err := b.newHome("play")
	if err != nil {
		return nil, err
	}
	if err := h.start(ctx); err != nil {
		return nil, err
	}
	defer h.stop()
	var took, nothing []time.Duration // an empty program after each: what the machine does to any process
	input := 0
	empty := h.emptyProgram()
	for i, c := range b.hooks {
		wall, err := h.hook(c.event, c.body).timed(ctx)
		if err != nil {
			return nil, fmt.Errorf("hook %d (%s): %w", i+1, c.event, err)
		}
		idle, err := empty.timed(ctx)
		if err != nil {
			return nil, err
		}
		took, nothing = append(took, wall), append(nothing, idle)
		input += len(c.body)
	}
	late, seconds, err := h.allRecorded(ctx, b.hooks)
	if err != nil {
		return nil, err
	}
	h.stop()
	bytes, parts, err := apparentBytes(filepath.Join(h.state, "store"))
	return []figure{
		{4, "p99 over a session's hooks in order", atMost(10, "ms"), inMS(quantile(took, .99)),
			fmt.Sprintf("median %s, p90 %s, max %s; an empty program in turn: median %s, p99 %s; %d hooks, %d of them counted as repeated%s",
				ms(median(took)), ms(quantile(took, .9)), ms(quantile(took, 1)), ms(median(nothing)), ms(quantile(nothing, .99)),
				len(took), seconds, late.note())},
		{11, "bytes of the store after stop / bytes of hook JSON", atMost(.4, ""), float64(bytes) / float64(input),
			fmt.Sprintf("%d of %d bytes: %s", bytes, input, parts)},
	}, err
}

// allRecorded is [home.recorded] for each kind of the calls. The hooks are played faster than they
// were recorded, so a few of one prompt with equal content can be taken for a second installation's:
// seconds is how many.
func (h *home) allRecorded(ctx context.Context, calls []call) (sum late, seconds int, err error) {
	count := map[string]int{}
	for _, c := range calls {
		count[c.event]++
	}
	for event, n := range count {
		late, err := h.recorded(ctx, event, n)
		if err != nil {
			return 0, 0, err
		}
		sum += late
	}
	s, err := h.status()
	for _, n := range s.SecondInstalls {
		seconds += n
	}
	if seconds > len(calls)/50 {
		err = errors.Join(err, fmt.Errorf("%d of %d hooks were taken for a second installation's", seconds, len(calls)))
	}
	return sum, seconds, err
}

// apparentBytes adds up the files below a folder, a file with several links once, and says which
// share each part of a store has.
func apparentBytes(root string) (int64, string, error) {
	var total int64
	parts := map[string]int64{}
	seen := map[int64][]fs.FileInfo{} // by size
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		for _, other := range seen[info.Size()] {
			if os.SameFile(info, other) {
				return nil
			}
		}
		seen[info.Size()] = append(seen[info.Size()], info)
		rel, err := filepath.Rel(root, path)
		total += info.Size()
		parts[partOf(rel)] += info.Size()
		return err
	})
	share := func(name string) string {
		return fmt.Sprintf("%s %.1f %%", name, 100*float64(parts[name])/float64(max(total, 1)))
	}
	return total, share("log") + ", " + share("blobs") + ", " + share("buckets") + ", " + share("rest"), err
}

// partOf names the part of a store that a file belongs to.
func partOf(rel string) string {
	for pattern, part := range map[string]string{
		"jetstream/$G/streams/EVENTS/msgs/*.blk": "log", "archive/*": "log", "blobs/*/*": "blobs", "jetstream/$G/streams/KV_*/*/*.blk": "buckets",
	} {
		if ok, _ := filepath.Match(filepath.FromSlash(pattern), rel); ok {
			return part
		}
	}
	return "rest"
}

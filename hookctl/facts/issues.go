package facts

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Issue is an entry of an issue tracker that lies in the repository.
type Issue struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// issuesWithin bounds the tracker's programs (DECISIONS S2): a start does not wait longer for them.
const issuesWithin = 300 * time.Millisecond

// Issues are what is in progress and then what is ready, by the tracker bd or br on the PATH, and its name. Nothing where
// the folder has no .beads, no tracker is there, or it takes too long.
func Issues(ctx context.Context, dir string) (list []Issue, tracker string) {
	if info, err := os.Stat(filepath.Join(dir, ".beads")); dir == "" || err != nil || !info.IsDir() {
		return nil, ""
	}
	for _, name := range []string{"bd", "br"} {
		if _, err := exec.LookPath(name); err == nil {
			tracker = name
			break
		}
	}
	if tracker == "" {
		return nil, ""
	}

	ctx, cancel := context.WithTimeout(ctx, issuesWithin)
	defer cancel()
	asked := [][]string{{"list", "--status", "in_progress", "--json"}, {"ready", "--json"}}
	found := make([][]Issue, len(asked))
	var all sync.WaitGroup
	for i, args := range asked {
		all.Go(func() {
			cmd := exec.CommandContext(ctx, tracker, args...)
			cmd.Dir, cmd.Env = dir, cleanEnv(os.LookupEnv)
			cmd.WaitDelay = 50 * time.Millisecond
			out, err := cmd.Output()
			if err == nil {
				_ = json.Unmarshal(out, &found[i]) // what is no list of issues has none
			}
		})
	}
	all.Wait()

	for _, part := range found {
		for _, issue := range part {
			known := slices.ContainsFunc(list, func(other Issue) bool { return other.ID == issue.ID })
			if issue.ID != "" && !known {
				list = append(list, issue)
			}
		}
	}
	return list, tracker
}

package gates

import (
	"fmt"
	"strings"
)

// Changed is what `git diff --shortstat` counts.
type Changed struct{ Insertions, Deletions int }

// BranchSize is the value of the branch-size calculator, all insertions and deletions, with its summary. The lines
// of untracked files belong to unstaged.
func BranchSize(committed, staged, unstaged Changed) (value float64, summary string) {
	var parts []string
	for _, p := range []struct {
		name string
		c    Changed
	}{{"committed", committed}, {"staged", staged}, {"unstaged", unstaged}} {
		if n := p.c.Insertions + p.c.Deletions; n > 0 {
			value += float64(n)
			parts = append(parts, fmt.Sprintf("%s: %d+/%d-", p.name, p.c.Insertions, p.c.Deletions))
		}
	}
	if len(parts) == 0 {
		return 0, "no changes"
	}
	return value, strings.Join(parts, " | ")
}

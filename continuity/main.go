// Continuity measures what an agent is told after each compaction of recorded sessions, and at the start of later ones:
// how much of what it then works with it could know. It plays the hooks of transcripts through the real binaries in a
// home of its own (docs/continuity.md).
//
//	continuity [-v] [-together] [-every N] PATH…
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"hookline/hookctl/transcript"
)

// options are the flags that the play depends on.
type options struct {
	together bool
	every    int
}

func main() {
	var o options
	verbose := flag.Bool("v", false, "also name what was not told")
	flag.BoolVar(&o.together, "together", false, "all sessions are of one project: they were in work trees of it")
	flag.IntVar(&o.every, "every", 0, "also judge behind every `N`th call what a compaction there would tell")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "continuity: error: no transcripts\ncontinuity: hint: name a folder with some, as ~/.claude/projects")
		os.Exit(1)
	}
	if err := run(o, *verbose, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "continuity: error:", err)
		os.Exit(1)
	}
}

// run plays and judges every session, once without the client's summaries, where it also asks at points between the
// compactions, and once as the client sends its hooks, and prints the table.
func run(o options, verbose bool, paths []string) error {
	list, problems := transcript.Sessions(paths)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "continuity: warning:", p)
	}

	alone, between, err := played(o, list, true)
	if err != nil {
		return err
	}
	o.every = 0
	beside, _, err := played(o, list, false)
	if err != nil {
		return err
	}
	if verbose {
		for _, line := range slices.Concat(beside.missed, between.missed) {
			fmt.Println(line)
		}
	}
	fmt.Printf("%d compactions, %d starts after an earlier session of the project\n\n%s", len(beside.tokens), len(beside.startTokens), table(alone, beside))
	if len(between.tokens) > 0 {
		fmt.Printf("\nasked at points between, as if the context were cut there\n\n%s", table(between, between))
	}
	return nil
}

// played plays every session in a home of its own, and judges it: its compactions and its start, and the points between.
func played(o options, list []transcript.Session, alone bool) (all, between score, err error) {
	sessions, err := loaded(list)
	if err != nil {
		return all, between, err
	}
	st := &stage{options: o, alone: alone, repo: map[string]string{}}
	defer st.close()
	if err := st.open(); err != nil {
		return all, between, err
	}
	for i, s := range sessions {
		fmt.Fprintf(os.Stderr, "%d of %d: %s, %d hooks\n", i+1, len(sessions), s.id, len(s.hooks))
		if err := st.play(s); err != nil {
			return all, between, fmt.Errorf("session %s: %w", s.id, err)
		}
		all.judge(s, sessions[:i], &between)
	}
	return all, between, nil
}

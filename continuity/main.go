// Continuity measures what an agent is told after each compaction of recorded sessions, and at the start of later ones:
// how much of what it then works with it could know. It plays the hooks of transcripts through the real binaries in a
// home of its own (docs/continuity.md).
//
//	continuity [-bin DIR] [-v] [-together] [-every N] PATH…
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hookline/hookctl/transcript"
)

func main() {
	bin := flag.String("bin", "bin", "folder with hookctl and hookd")
	verbose := flag.Bool("v", false, "also name what was not told")
	together := flag.Bool("together", false, "all sessions are of one project: they were in work trees of it")
	every := flag.Int("every", 0, "also judge behind every `N`th call what a compaction there would tell")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "continuity: error: no transcripts\ncontinuity: hint: name a folder with some, as ~/.claude/projects")
		os.Exit(1)
	}
	if err := run(options{bin: *bin, paths: flag.Args(), verbose: *verbose, together: *together, every: *every}); err != nil {
		fmt.Fprintln(os.Stderr, "continuity: error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	bin      string
	paths    []string
	verbose  bool
	together bool
	every    int
}

// run plays and judges every session, once as the client sends its hooks and once without the client's summaries, and
// prints the table.
func run(o options) (err error) {
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	list, problems := transcript.Sessions(o.paths)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "continuity: warning:", p)
	}

	var between score
	alone, err := played(o, list, true, &between)
	if err != nil {
		return err
	}
	beside, err := played(o, list, false, nil)
	if err != nil {
		return err
	}
	if o.verbose {
		for _, line := range slices.Concat(beside.missed, between.missed) {
			fmt.Println(line)
		}
	}
	fmt.Print(table(alone, beside))
	if o.every > 0 {
		fmt.Print(betweenTable(o.every, between))
	}
	return nil
}

// played plays and judges every session in a home of its own; the points between the compactions go to between, where it
// is not nil.
func played(o options, list []transcript.Session, alone bool, between *score) (all score, err error) {
	st, err := openStage(o.bin)
	if err != nil {
		return all, err
	}
	defer st.close()
	st.alone, st.together = alone, o.together
	if between != nil {
		st.every = o.every
	}

	sessions, err := loaded(list)
	if err != nil {
		return all, err
	}
	for i, s := range sessions {
		fmt.Fprintf(os.Stderr, "%d of %d: %s, %d hooks\n", i+1, len(sessions), s.id, len(s.hooks))
		if err := st.play(s); err != nil {
			return all, fmt.Errorf("session %s: %w", s.id, err)
		}
		all.judge(s, sessions[:i], between)
	}
	return all, nil
}

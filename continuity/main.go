// Continuity measures what an agent is told after each compaction of recorded sessions, and at the start of later ones:
// how much of what it then works with it could know. It plays the hooks of transcripts through the real binaries in a
// home of its own (docs/continuity.md).
//
//	continuity [-bin DIR] [-v] [-together] PATH…
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"hookline/hookctl/transcript"
)

func main() {
	bin := flag.String("bin", "bin", "folder with hookctl and hookd")
	verbose := flag.Bool("v", false, "also name what was not told")
	together := flag.Bool("together", false, "all sessions are of one project: they were in work trees of it")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "continuity: error: no transcripts\ncontinuity: hint: name a folder with some, as ~/.claude/projects")
		os.Exit(1)
	}
	if err := run(options{bin: *bin, paths: flag.Args(), verbose: *verbose, together: *together}); err != nil {
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

	alone, err := played(o, list, true)
	if err != nil {
		return err
	}
	beside, err := played(o, list, false)
	if err != nil {
		return err
	}
	if o.verbose {
		for _, line := range beside.missed {
			fmt.Println(line)
		}
	}
	fmt.Print(table(alone, beside))
	return nil
}

// played plays and judges every session in a home of its own.
func played(o options, list []transcript.Session, alone bool) (all score, err error) {
	st, err := openStage(o.bin)
	if err != nil {
		return all, err
	}
	defer st.close()
	st.alone, st.together = alone, o.together

	sessions, err := loaded(list)
	if err != nil {
		return all, err
	}
	for i, s := range sessions {
		fmt.Fprintf(os.Stderr, "%d of %d: %s, %d hooks\n", i+1, len(sessions), s.id, len(s.hooks))
		if err := st.play(s); err != nil {
			return all, fmt.Errorf("session %s: %w", s.id, err)
		}
		all.judge(s, sessions[:i])
	}
	return all, nil
}

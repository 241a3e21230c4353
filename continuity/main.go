// Continuity measures what an agent is told after each compaction of recorded sessions, and at the start of later ones:
// how much of what it then works with it could know. It plays the hooks of transcripts through a daemon in this process, at
// their recorded times and with the disk as it was then (docs/continuity.md).
//
//	continuity [-v] [-together] [-every N] [-points DIR] PATH…
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookline/hookctl/transcript"
)

// options are the flags that the play depends on.
type options struct {
	together bool
	every    int
	points   string // a folder
}

func main() {
	var o options
	verbose := flag.Bool("v", false, "also name what was not told")
	flag.BoolVar(&o.together, "together", false, "all sessions are of one project: they were in work trees of it")
	flag.IntVar(&o.every, "every", 0, "also judge behind every `N`th call what a compaction there would tell")
	flag.StringVar(&o.points, "points", "", "write what was told at each point into a file of its own below `DIR`")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "continuity: error: no transcripts\ncontinuity: hint: name a folder with some, as ~/.claude/projects")
		os.Exit(1)
	}
	if err := apart(); err != nil {
		fmt.Fprintln(os.Stderr, "continuity: error:", err)
		os.Exit(1)
	}
	if err := run(context.Background(), o, *verbose, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "continuity: error:", err)
		os.Exit(1)
	}
}

// apart keeps what this machine is set to away from the play: the daemon runs in this process.
func apart() error {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		for _, of := range []string{"CLAUDE", "HOOKLINE", "GIT_", "XDG_"} {
			if strings.HasPrefix(name, of) {
				if err := os.Unsetenv(name); err != nil {
					return fmt.Errorf("unset %s: %w", name, err)
				}
			}
		}
	}
	return os.Setenv("HOME", filepath.Join(os.TempDir(), "continuity-without-home"))
}

// outcome is what the play of a project came to: without the client's summaries, with them, and at the points between.
type outcome struct{ alone, beside, between score }

// run plays and judges the sessions of every project, once without the client's summaries, where it also asks at points
// between the compactions, and once as the client sends its hooks, and prints the table.
func run(ctx context.Context, o options, verbose bool, paths []string) error {
	list, problems := transcript.Sessions(paths)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "continuity: warning:", p)
	}

	all, err := judgedAll(ctx, o, projects(paths, list, o.together))
	if err != nil {
		return err
	}
	if verbose {
		for _, line := range slices.Concat(all.beside.missed, all.between.missed) {
			fmt.Println(line)
		}
	}
	fmt.Printf("%d compactions, %d starts after an earlier session of the project\n\n%s\n%s",
		len(all.beside.tokens), len(all.beside.startTokens), table(all.alone, all.beside), truthTable(all.beside))
	if len(all.between.tokens) > 0 {
		fmt.Printf("\nasked at points between, as if the context were cut there\n\n%s\n%s", table(all.between, all.between), truthTable(all.between))
	}
	return nil
}

// atOnce is how many projects are played at the same time.
const atOnce = 2

// judgedAll judges projects, and adds up what they came to in their order.
func judgedAll(ctx context.Context, o options, list []project) (all outcome, err error) {
	outcomes := make([]outcome, len(list))
	errs := make([]error, len(list))
	var playing sync.WaitGroup
	room := make(chan bool, atOnce)
	for i, p := range list {
		playing.Go(func() {
			room <- true
			defer func() { <-room }()
			begin := time.Now()
			outcomes[i], errs[i] = judged(ctx, o, p)
			if errs[i] != nil {
				errs[i] = fmt.Errorf("project %s: %w", p.name, errs[i])
			}
			fmt.Fprintf(os.Stderr, "%s: %d sessions, %d hooks, %.1f s\n", p.name, len(p.sessions), len(inOrder(p.sessions)), time.Since(begin).Seconds())
		})
	}
	playing.Wait()
	for _, one := range outcomes {
		all.alone.add(one.alone)
		all.beside.add(one.beside)
		all.between.add(one.between)
	}
	return all, errors.Join(errs...)
}

// judged plays a project twice and judges its sessions: their compactions and starts, and the points between.
func judged(ctx context.Context, o options, p project) (out outcome, err error) {
	if err := played(ctx, o, p, true); err != nil {
		return out, err
	}
	for _, s := range p.sessions {
		out.alone.judge(s, p.sessions, &out.between)
	}
	out.alone.back(p)
	out.between.back(p)

	if err := o.write(p, true); err != nil {
		return out, err
	}

	o.every = 0
	if err := played(ctx, o, p, false); err != nil {
		return out, err
	}
	if err := o.write(p, false); err != nil {
		return out, err
	}
	var none score
	for _, s := range p.sessions {
		out.beside.judge(s, p.sessions, &none)
	}
	out.beside.back(p)
	return out, nil
}

// write writes the points of a project where that is asked for.
func (o options) write(p project, between bool) error {
	if o.points == "" {
		return nil
	}
	return writePoints(o.points, p, between)
}

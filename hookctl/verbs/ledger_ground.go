package verbs

import (
	"cmp"
	"path/filepath"
	"strings"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

// Grounding: what is said of the project is compared with its files.

// leastGrounded is the ratio that passes (S3).
const leastGrounded = 0.95

type ledgerGroundVerb struct {
	Threshold float64 `help:"the least ratio that passes"`
}

func (f *ledgerGroundVerb) run(a *app, args []string) error {
	if !(f.Threshold >= 0 && f.Threshold <= 1) {
		return problem.Faultf("invalid_threshold: %v", f.Threshold).Advise("0 to 1")
	}
	claims, err := a.claims(args)
	if err != nil {
		return err
	}
	g := notes.Ground(claims, f.Threshold)
	return a.Verdict(g, g.Status == "pass", func() {
		for _, c := range g.Ungrounded {
			a.Complain("%s: %s: %s\n", cmdline.OneLine(c.Where), cmdline.OneLine(c.Text), cmdline.OneLine(cmp.Or(c.Problem, "rests on nothing")))
		}
		a.Printf("%s: %s\n", g.Status, g.Message)
	})
}

// claims are those of files, or without any of the ledger.
func (a *app) claims(files []string) ([]notes.Claim, error) {
	root := a.topDir()
	if len(files) == 0 {
		s, err := a.ledgerOf()
		return notes.ClaimsOfLedger(root, s), err
	}

	var list []notes.Claim
	for _, name := range files {
		file := a.absolute(name)
		data, err := safeopen.ReadFile(safeopen.Foreign, file, maxStateFile)
		if err != nil {
			return nil, problem.Because(err).Advise("a document or a .jsonl trajectory is wanted")
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			rel = file
		}
		if filepath.Ext(file) == ".jsonl" {
			list = append(list, notes.ClaimsOfTrajectory(root, name, data)...)
			continue
		}
		list = append(list, notes.ClaimsOfMarkdown(root, filepath.ToSlash(rel), data)...)
	}
	return list, nil
}

type ledgerGhostVerb struct {
	Queries []string `flag:"query" help:"another way to find it; may be repeated"`
}

func (f *ledgerGhostVerb) run(a *app, args []string) error {
	feature := strings.TrimSpace(args[0])
	if feature == "" || len(f.Queries) == 0 {
		return problem.Faultf("two searches are wanted").Advise("--query gives the second, in other words")
	}
	root := a.topDir()
	out, err := facts.Git(a.ctx, root, "ls-files", "-z")
	if err != nil {
		return problem.Faultf("the tracked files cannot be listed: %w", err).Advise("a git repository is searched")
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	g := notes.Seek(root, files, feature, append([]string{feature}, f.Queries...))

	if g.Status != "present" {
		_, err := a.orderLedger(&events.LedgerEntryAdded{Kind: events.LedgerGhost, Text: feature, Case: g.Status, By: a.caller(), Source: "command"})
		if err != nil {
			return err
		}
	}
	return a.Verdict(g, g.Status == "present", func() {
		a.Printf("%s: %s, hits %v, %s\n", cmdline.OneLine(feature), g.Status, g.Hits, cmdline.Plural(g.Mentions, "mention"))
	})
}

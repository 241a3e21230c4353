package verbs

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

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

// ledgerCheckVerbs are those that compare the ledger with the project's files, and those around a cut of the context.
func (a *app) ledgerCheckVerbs() []*cobra.Command {
	return []*cobra.Command{
		a.verb(needStore, "ground [FILE…]", "Check how many claims rest on the project's files",
			"Check how many claims are grounded: of the ledger's decisions, or of the files. In a document, claims are citations\n"+
				"(`quote` [${PROJECT_ROOT}/path:line[-line]]), links to files and paths in code type; in a .jsonl trajectory the\n"+
				"entries of phase \"cite\". A place that is not there and a quote that is not on it are named. The exit code is 1 when\n"+
				"the ratio is below the threshold. For files neither a daemon nor a store is needed.",
			"  hookctl ledger ground\n  hookctl ledger ground README.md docs/*.md",
			&ledgerGroundVerb{Threshold: leastGrounded}),
		a.verb(needStore, "ghost FEATURE", "Check that a feature which is written of is in the code",
			"Search the tracked files for a feature by two queries: its own words and those of --query. A line of code that has\n"+
				"all words of a query is a hit. Without any hit it is a confirmed_ghost, or of high_ambiguity where three lines of\n"+
				"documents or more mention it; either goes into the ledger until it is closed, and the exit code is 1.",
			"  hookctl ledger ghost 'refresh token rotation' --query 'rotateRefresh'",
			&ledgerGhostVerb{}, cmdline.Exactly("FEATURE")),
		a.verb(needStarted, "synthesis", "Check the ledger before the context is cleared, and hand it over",
			"Check the ledger in seven steps before the context is cleared: grounding, features that no search finds, the decision\n"+
				"log (NOTES.md is rendered where it has our block), beads (`br sync --flush-only` where br is on the PATH), the handoff,\n"+
				"the evidence to come back to, and three test scenarios. At level strict the first two can fail, and the exit code is 1.\n"+
				"The client cannot be kept from clearing; the next session is told the result.",
			"  hookctl ledger synthesis --level strict",
			&ledgerSynthesisVerb{Level: "warn"}),
		a.plain(needStore, "recover [LEVEL] [WORDS…]", "Print what is needed to go on, by level",
			"Print what is needed to go on after the context was cut. Level 1: the active task, the last checkpoint, the reasoning\n"+
				"state and the last three decisions, about 100 tokens. Level 2: the entries that fit the words best, closed ones too,\n"+
				"at most 500 tokens. Level 3: everything.",
			"  hookctl ledger recover\n  hookctl ledger recover 2 authentication tokens",
			a.ledgerRecoverVerb),
		a.verb(needStarted, "heal", "Write a missing or empty NOTES.md anew: from the log, from git, or from a template",
			"Write a missing or empty NOTES.md anew: from the log, with your own text as the last commit has it; without entries as\n"+
				"the last commit has it; else from a template. The exit code is 0 for a healthy or healed file, with --check-only 1 for\n"+
				"damage that can be repaired, and 2 for what cannot.",
			"  hookctl ledger heal --check-only",
			&ledgerHealVerb{}),
	}
}

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

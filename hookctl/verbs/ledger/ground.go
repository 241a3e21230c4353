package ledger

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
)

// Grounding: what is said of the project is compared with its files.

// leastGrounded is the ratio that passes (S3).
const leastGrounded = 0.95

func groundCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "ground [FILE…]",
		Short: "Check how many claims rest on the project's files",
		Long: "Check how many claims are grounded: of the ledger's decisions, or of the files. In a document, claims are citations\n" +
			"(`quote` [${PROJECT_ROOT}/path:line[-line]]), links to files and paths in code type; in a .jsonl trajectory the\n" +
			"entries of phase \"cite\". A place that is not there and a quote that is not on it are named. The exit code is 1 when\n" +
			"the ratio is below the threshold. For files neither a daemon nor a store is needed.",
		Example: "  hookctl ledger ground\n" +
			"  hookctl ledger ground README.md docs/*.md",
	}, &groundVerb{Threshold: leastGrounded})
}

type groundVerb struct {
	Threshold float64 `help:"the least ratio that passes"`
}

func (f *groundVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	if !(f.Threshold >= 0 && f.Threshold <= 1) {
		return problem.Faultf("invalid_threshold: %v", f.Threshold).Advise("0 to 1")
	}
	claims, err := claims(ctx, e, args)
	if err != nil {
		return err
	}
	g := notes.Ground(claims, f.Threshold)
	return e.Verdict(g, g.Status == "pass", func() {
		for _, c := range g.Ungrounded {
			e.Complain("%s: %s: %s\n", cmdline.OneLine(c.Where), cmdline.OneLine(c.Text), cmdline.OneLine(cmp.Or(c.Problem, "rests on nothing")))
		}
		e.Printf("%s: %s\n", g.Status, g.Message)
	})
}

// claims are those of files, or without any of the ledger.
func claims(ctx context.Context, e *env.Env, files []string) ([]notes.Claim, error) {
	root := e.TopDir()
	if len(files) == 0 {
		s, err := Of(ctx, e)
		return notes.ClaimsOfLedger(root, s), err
	}

	var list []notes.Claim
	for _, name := range files {
		file := e.Absolute(name)
		data, err := safeopen.ReadFile(safeopen.Foreign, file, env.MaxFile)
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

func ghostCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "ghost FEATURE",
		Short: "Check that a feature which is written of is in the code",
		Long: "Search the tracked files for a feature by two queries: its own words and those of --query. A line of code that has\n" +
			"all words of a query is a hit. Without any hit it is a confirmed_ghost, or of high_ambiguity where three lines of\n" +
			"documents or more mention it; either goes into the ledger until it is closed, and the exit code is 1.",
		Example: "  hookctl ledger ghost 'refresh token rotation' --query 'rotateRefresh'",
	}, &ghostVerb{}, cmdline.Exactly("FEATURE"))
}

type ghostVerb struct {
	Queries []string `flag:"query" help:"another way to find it; may be repeated"`
}

func (f *ghostVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	feature := strings.TrimSpace(args[0])
	if feature == "" || len(f.Queries) == 0 {
		return problem.Faultf("two searches are wanted").Advise("--query gives the second, in other words")
	}
	root := e.TopDir()
	out, err := facts.Git(ctx, root, "ls-files", "-z")
	if err != nil {
		return problem.Faultf("the tracked files cannot be listed: %w", err).Advise("a git repository is searched")
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	g := notes.Seek(root, files, feature, append([]string{feature}, f.Queries...))

	if g.Status != "present" {
		_, err := order(ctx, e, &events.LedgerEntryAdded{Kind: events.LedgerGhost, Text: feature, Case: g.Status, By: e.Caller(), Source: "command"})
		if err != nil {
			return err
		}
	}
	return e.Verdict(g, g.Status == "present", func() {
		e.Printf("%s: %s, hits %v, %s\n", cmdline.OneLine(feature), g.Status, g.Hits, cmdline.Plural(g.Mentions, "mention"))
	})
}

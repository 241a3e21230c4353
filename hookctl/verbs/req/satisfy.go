package req

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
)

func satisfyCommand(e *env.Env) *cobra.Command {
	c := command.Offering(command.Completes(e, gateWords), command.Verb(e, env.Started, command.Text{
		Use:   "satisfy NAME…",
		Short: "Open gates for a session, or for a whole branch",
		Long: "Open gates for a session, or with --branch for every session of that branch, those to come included.\n" +
			"A dynamic requirement is approved for its approval_ttl; the others hold as long as their scope says.",
		Example: "  hookctl req satisfy commit_plan\n" +
			"  hookctl req satisfy commit_plan adr_reviewed --session c68c8a51\n" +
			"  hookctl req satisfy pre_pr_review --branch feature/x --metadata '{\"ticket\":\"X-1\"}'",
	}, &satisfying{}, cmdline.AtLeast("a requirement: `hookctl req status` lists them")))
	c.Aliases = []string{"approve"}
	return c
}

// satisfying are the flags of satisfy.
type satisfying struct {
	Branch   string `flag:"branch,b" help:"for every session of this branch"`
	Session  string `flag:"session,s" help:"for another session: its id, any unique prefix of it, or last"`
	Metadata string `flag:"metadata,m" help:"a JSON object that is kept with it"`
	Force    bool   `help:"also a name that no file defines, a branch that git does not have"`
}

func (s *satisfying) Run(ctx context.Context, e *env.Env, args []string) error {
	meta := map[string]any{}
	if s.Metadata != "" && (json.Unmarshal([]byte(s.Metadata), &meta) != nil || meta == nil) {
		return refuse(e, "❌ Invalid JSON metadata")
	}
	d, err := deskOn(ctx, e, s.Branch)
	if err != nil {
		return err
	}
	list, err := d.named(args, s.Force)
	if err == nil && s.Branch != "" && !s.Force {
		err = d.hasBranch(ctx, s.Branch)
	}
	if err != nil {
		return err
	}
	id, explicit, err := d.find(ctx, s.Session)
	needs := s.Branch == "" && slices.ContainsFunc(list, func(q gates.Requirement) bool { return !branchWide(q) })
	switch {
	case errors.Is(err, errNoSession) && needs:
		return d.noSession()
	case err != nil && !errors.Is(err, errNoSession):
		return err
	}
	o := api.Order{Branch: d.branch}
	if slices.ContainsFunc(d.sessions, func(s session.State) bool { return s.ID == id }) {
		o.Session = id
	} else if needs {
		return d.noSession()
	}
	for _, q := range list {
		o.Events = append(o.Events, emit.Command(d.satisfaction(q, *s, meta)))
	}
	r, err := d.order(ctx, o)
	if err != nil {
		return err
	}
	return e.Result(r, "%s", satisfiedText(d, list, *s, id, explicit))
}

// hasBranch refuses a branch that git does not have: a slip of the pen would open nothing. Where git does not
// answer, what was typed counts.
func (d *desk) hasBranch(ctx context.Context, name string) error {
	known, err := d.World.Branches(ctx, d.place.Worktree)
	if err != nil || name == d.place.Branch || slices.Contains(known, name) {
		return nil
	}
	return refuse(d.Env, unknown("branch", name, known)+"\nFor a branch that is yet to be made: --force")
}

// named gives the requirements that were asked for, each once. A name that no file defines is an error, with the
// nearest one; nothing is recorded then.
func (d *desk) named(args []string, force bool) ([]gates.Requirement, error) {
	var list []gates.Requirement
	bad := false
	for _, name := range args {
		q, ok := d.rules.ByName[name]
		if !ok && !force {
			say(d.Env, unknown("requirement", name, d.rules.Order))
			bad = true
			continue
		}
		if !ok {
			q = gates.Requirement{Name: name, Type: gates.Blocking, Scope: gates.SessionScope}
		}
		if !slices.ContainsFunc(list, func(o gates.Requirement) bool { return o.Name == name }) {
			list = append(list, q)
		}
	}
	if bad {
		return nil, cmdline.Silent(1)
	}
	return list, nil
}

func branchWide(q gates.Requirement) bool {
	s := hook.ScopeOf(q)
	return s == events.GateScopeBranch || s == events.GateScopePermanent
}

// bypassed are requirements that are met by running a skill: by hand they are bypassed, and the record says so.
var bypassed = []string{"commit_plan", "adr_reviewed", "tdd_planned"}

func (d *desk) satisfaction(q gates.Requirement, s satisfying, meta map[string]any) *events.GateSatisfied {
	e := &events.GateSatisfied{Name: q.Name, Scope: q.Scope, Level: events.GateLevelSession, By: "cli", Caller: d.Env.Caller()}
	if s.Branch != "" || branchWide(q) {
		e.Level = events.GateLevelBranch
	}
	all := maps.Clone(meta)
	switch {
	case q.Type == gates.Dynamic && s.Branch == "":
		e.By = "approval"
		e.ExpiresAt = d.Now().UTC().Add(q.ApprovalTTL).Truncate(time.Millisecond).Format(time.RFC3339Nano)
		all["method"] = "cli"
	case slices.Contains(bypassed, q.Name):
		e.By = "cli_bypass"
		all["bypass"], all["method"] = true, "cli_manual"
	}
	if len(all) > 0 {
		e.Metadata, _ = json.Marshal(all) // it came from JSON
	}
	return e
}

// satisfiedText says what was opened, and for whom.
func satisfiedText(d *desk, list []gates.Requirement, s satisfying, id string, explicit bool) string {
	if s.Branch != "" {
		what := "'" + list[0].Name + "'"
		if len(list) > 1 {
			what = fmt.Sprintf("%d requirement(s)", len(list))
		}
		return fmt.Sprintf("🌿 Using branch-level satisfaction for: %[1]s\n✅ Satisfied %[2]s at branch level for %[1]s\n"+
			"   ℹ️  All current and future sessions on this branch are now satisfied\n", d.branch, what)
	}

	var parts, others []string
	single := ""
	switch {
	case id == "":
	case explicit:
		parts = append(parts, "🎯 Using explicit session: "+events.Alias(id))
	default:
		parts = append(parts, "✨ Auto-detected Claude session: "+events.Alias(id))
	}
	for _, q := range list {
		if q.Type == gates.Dynamic {
			left := q.ApprovalTTL
			parts = append(parts, fmt.Sprintf("✅ Approved '%s' for %s\n   Duration: %dm %ds (session scope)\n   Session: %s",
				q.Name, d.branch, int(left.Minutes()), int(left.Seconds())%60, events.Alias(id)))
			continue
		}
		others = append(others, fmt.Sprintf("   - %s (%s scope)", q.Name, q.Scope))
		single = fmt.Sprintf("✅ Satisfied '%s' for %s (%s scope)", q.Name, d.branch, q.Scope)
	}
	switch len(others) {
	case 0:
	case 1:
		parts = append(parts, single)
	default:
		parts = append(parts, fmt.Sprintf("✅ Satisfied %d requirement(s) for %s", len(others), d.branch))
		parts = append(parts, others...)
	}
	return strings.Join(parts, "\n") + "\n"
}

func clearCommand(e *env.Env) *cobra.Command {
	return command.Offering(command.Completes(e, gateWords), command.Verb(e, env.Started, command.Text{
		Use:   "clear [NAME…]",
		Short: "Close gates again, of a whole branch or of one session",
		Long: "Close gates again. Without --session it is done for every session of the branch, and nothing of the\n" +
			"requirement is left. With --session that session's satisfaction goes; what holds for the whole branch stays,\n" +
			"and so does that it was triggered: the end of its turn is still held to it.",
		Example: "  hookctl req clear commit_plan\n" +
			"  hookctl req clear commit_plan --session c68c8a51\n" +
			"  hookctl req clear --all --branch feature/x",
	}, &clearing{}))
}

// clearing are the flags of clear.
type clearing struct {
	Branch  string `flag:"branch,b" help:"of another branch"`
	Session string `flag:"session,s" help:"of one session only: its id, any unique prefix of it, or last"`
	All     bool   `flag:"all,a" help:"every requirement"`
}

func (f *clearing) Run(ctx context.Context, e *env.Env, args []string) error {
	if (len(args) == 0 || slices.Contains(args, "")) && !f.All { // "" stands for all of them
		return refuse(e, "❌ Specify requirement name or use --all")
	}
	d, err := deskOn(ctx, e, f.Branch)
	if err != nil {
		return err
	}
	o := api.Order{Branch: d.branch}
	if f.Session != "" {
		if o.Session, _, err = d.find(ctx, f.Session); err != nil {
			return err
		}
	}
	names := args
	if f.All {
		names = []string{""}
	}
	for _, n := range names {
		o.Events = append(o.Events, emit.Command(&events.GateCleared{Name: n, AllSessions: f.Session == "", Reason: events.GateClearedCommand}))
	}
	r, err := d.order(ctx, o)
	if err != nil {
		return err
	}
	if f.Session != "" {
		d.tellStillOpen(names)
	}
	if e.JSON {
		return e.PrintJSON(r)
	}
	for _, n := range names {
		what := "all requirements"
		if n != "" {
			what = "'" + n + "'"
		}
		e.Printf("✅ Cleared %s for %s\n", what, d.branch)
	}
	return nil
}

// tellStillOpen names the gates, of those that were closed for one session, that what holds for the whole branch keeps
// open for it. The name "" is all of them.
func (d *desk) tellStillOpen(names []string) {
	for _, n := range show.SortedKeys(d.state.Gates) {
		m := d.state.Gates[n].Branch.Satisfied
		if m == nil || m.Expired(d.Now()) || !slices.Contains(names, n) && !slices.Contains(names, "") {
			continue
		}
		say(d.Env, "⚠️  '"+n+"' stays open: it is satisfied for every session of the branch. `hookctl req clear "+n+" --branch "+d.branch+"` closes it for all")
	}
}

package verbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
)

// rebuilds maps the names that people use to projections; "" is all of them. session_identity is
// the column family of the identity specification, snapshot, latest and cache are buckets.
var rebuilds = map[string]string{
	"session_identity":   identity.Name,
	"snapshot":           "",
	"cache":              identity.Name,
	session.Name:         session.Name,
	identity.Name:        identity.Name,
	identity.PointerName: identity.PointerName,
	project.Name:         project.Name,
	gate.Name:            gate.Name,
}

type repairVerb struct {
	Family string `flag:"cf" help:"session_identity" offers:"session_identity"`
	Bucket string `help:"a bucket (snapshot, latest, cache) or a projection" offers:"snapshot,latest,cache,session,identity,project,gate"`
	Dry    bool   `flag:"dry-run" help:"only tell what would change"`
}

func (f *repairVerb) run(a *app, _ []string) error {
	name := f.Family + f.Bucket
	projection, ok := rebuilds[name]
	if !ok {
		names := sortedKeys(rebuilds)
		return problem.Faultf("there is no bucket %q", name).Advise("one of "+strings.Join(names, ", ")).Meant(name, names, "%s")
	}
	q := url.Values{}
	if projection != "" {
		q.Set("projection", projection)
	}
	if f.Dry {
		q.Set("dry_run", "1")
	}

	var result client.Rebuilt
	m := a.Meter("folding")
	raw, err := client.ReadLong(func(line func([]byte) error) error { return a.stream("POST", "/v1/rebuild", q, line) }, m.At)
	m.End()
	if errors.Is(err, client.ErrUnfinished) {
		return problem.Faultf("the daemon ended before the result").Advise("nothing was switched; try again")
	}
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintRaw(raw)
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("read result: %w", err)
	}
	what := "all projections"
	if result.Projection != "" {
		what = "projection " + result.Projection
	}
	verb := "folded again"
	if result.DryRun {
		verb = "compared, nothing changed"
	}
	a.Printf("%s: %s up to sequence %d in %.0f ms, %s differed\n", what, verb, result.Seq, result.TookMS, cmdline.Plural(len(result.Changed), "value"))
	for _, d := range result.Changed {
		a.Printf("  %s %s %s: was %s, is %s by the log\n", d.Projection, cmdline.OneLine(d.Key), d.Field, cmdline.OneLine(orDash(d.Got)), cmdline.OneLine(orDash(d.Want)))
	}
	return nil
}

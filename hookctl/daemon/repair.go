package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/damage"
	"hookline/hookctl/export"
	"hookline/hookctl/home"
	"hookline/hookctl/importer"
	"hookline/hookctl/losses"
	"hookline/hookctl/problem"
	"hookline/hookctl/spawn"
)

// Repair looks for everything that is damaged or missing and fetches what other places still have. It never
// fills a hole: sequences are the log's, and what comes back is appended (docs/decisions/0008).

// RepairOptions say where to look.
type RepairOptions struct {
	From        []string // exports, absolute paths
	Transcripts string   // folder with the client's transcripts; "" = those that the sessions name
	DryRun      bool
}

// Repaired is the outcome of `replay repair`, or with DryRun what it would be.
type Repaired struct {
	DryRun bool `json:"dry_run"`
	PID    int  `json:"pid"` // of the process that has the store

	Opened  []string       `json:"opened"`  // what the store found and did when it was opened
	Blocks  int            `json:"blocks"`  // sealed blocks that were read now
	Damage  []string       `json:"damage"`  // found in them; only an opening can mend it
	Lost    []losses.Range `json:"lost"`    // sequences that the log does not have, or lost once
	LostN   uint64         `json:"lost_n"`  // how many
	Back    []losses.Range `json:"back"`    // of them, those whose events are in the log again, under their ids
	BackN   uint64         `json:"back_n"`  // how many
	Fetched uint64         `json:"fetched"` // lost ones whose events are back, or an export has
	Rebuilt uint64         `json:"rebuilt"` // events made from transcripts, now and earlier
	NotHad  uint64         `json:"not_had"` // lost sequences that nothing stands for

	Blobs     int      `json:"blobs"` // that were read
	BadBlobs  []string `json:"bad_blobs"`
	GoneBlobs []string `json:"gone_blobs"` // that events refer to
	NewBlobs  int      `json:"new_blobs"`  // of both, those that an export has

	Waiting     int            `json:"waiting"`     // frames in the spool
	Quarantined int            `json:"quarantined"` // frames that could not be read
	Sources     []RepairSource `json:"sources"`
	Added       uint64         `json:"added"` // events appended
	Seq         uint64         `json:"seq"`   // the log's newest event
}

// RepairSource is one place that was asked.
type RepairSource struct {
	Kind    string `json:"kind"` // export or transcript
	Name    string `json:"name"`
	Events  uint64 `json:"events"` // that the log lacks and this place has
	Known   uint64 `json:"known"`  // that the log has
	Blobs   int    `json:"blobs"`  // lost or damaged ones that it has
	Problem string `json:"problem,omitempty"`
}

func (d *Daemon) handleRepair(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	o := RepairOptions{From: q["from"], Transcripts: q.Get("transcripts"), DryRun: q.Get("dry_run") == "1"}
	for _, path := range append(slices.Clone(o.From), o.Transcripts) {
		if path != "" && !filepath.IsAbs(path) {
			return problem.New(http.StatusBadRequest, fmt.Sprintf("%q is no absolute path", path), "")
		}
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Repair(ctx, o, progress) })
}

// Repair finds and, unless it is a dry run, appends. progress tells which sequence has been read.
func (d *Daemon) Repair(ctx context.Context, o RepairOptions, progress func(uint64)) (Repaired, error) {
	out := Repaired{DryRun: o.DryRun, PID: os.Getpid(), Opened: damage.Opened(d.ground.Report()), Damage: []string{}, Lost: []losses.Range{}, Back: []losses.Range{},
		BadBlobs: []string{}, GoneBlobs: []string{}, Sources: []RepairSource{}}
	if !d.carrying.TryLock() {
		return out, errBusy()
	}
	defer d.carrying.Unlock()
	if err := d.checkSealed(&out); err != nil {
		return out, err
	}
	out.Waiting, out.Quarantined = d.spool.Count(), d.spool.Quarantined()
	if len(out.Damage) > 0 { // the log cannot be read to its end before it was opened anew
		return out, nil
	}
	if !o.DryRun {
		d.drain(ctx)
		out.Waiting = d.spool.Count()
	}
	stock, err := losses.TakeStock(ctx, d.stream, progress)
	if err != nil {
		return out, err
	}
	l := &search{Stock: stock, contents: map[string]bool{}, planned: map[string]bool{}}
	if err := d.checkBlobs(ctx, &out, l); err != nil {
		return out, err
	}
	out.Lost, out.LostN = losses.Runs(l.Lost), uint64(len(l.Lost))
	if err := d.fetch(ctx, o, &out, l); err != nil {
		return out, err
	}
	out.Back, out.BackN = losses.Runs(l.Back), uint64(len(l.Back))
	out.NotHad = out.LostN - min(out.LostN, out.Fetched+out.Rebuilt)
	out.Seq, _ = d.stream.Last()
	if o.DryRun || out.Added == 0 {
		return out, nil
	}
	// The cells may have been folded with events that are gone, and what came back would count twice.
	if _, err := d.view.Rebuild(ctx, d.stream.Read, "", nil); err != nil {
		return out, fmt.Errorf("fold the log again: %w", err)
	}
	return out, d.refreshLive(ctx)
}

// search is what the log lacks, and what was found of it elsewhere.
type search struct {
	*losses.Stock
	contents map[string]bool // digests of damaged or gone contents that an export had
	planned  map[string]bool // of a dry run: ids of events that an export would add
}

// checkSealed reads every block but the one that the server appends to: that one was checked when the store
// was opened.
func (d *Daemon) checkSealed(out *Repaired) error {
	msgs, stream := embedded.Blocks(filepath.Join(d.opts.Home, "store"))
	blocks, err := block.List(msgs)
	if err != nil || len(blocks) == 0 {
		return err
	}
	newest := blocks[len(blocks)-1].Name
	found, err := block.Check(msgs, block.Options{Stream: stream, Parallel: runtime.GOMAXPROCS(0), Only: func(name string) bool { return name != newest }})
	if err != nil {
		return err
	}
	for _, b := range found.Blocks {
		if b.Name != newest {
			out.Blocks++
		}
	}
	for _, dm := range found.Damage {
		if dm.Block != newest {
			out.Damage = append(out.Damage, damage.Line(dm))
		}
	}
	return nil
}

// checkBlobs reads every content and compares it with its digest.
func (d *Daemon) checkBlobs(ctx context.Context, out *Repaired, l *search) error {
	err := d.ground.Blobs().Walk(ctx, func(digest string, _ int64) error {
		out.Blobs++
		_, err := d.ground.Blobs().Get(digest)
		if errors.Is(err, embedded.ErrBlobDamaged) {
			out.BadBlobs = append(out.BadBlobs, digest)
			return nil
		}
		return err
	})
	for digest := range l.Refs {
		if !d.ground.Blobs().Has(digest) {
			out.GoneBlobs = append(out.GoneBlobs, digest)
		}
	}
	slices.Sort(out.GoneBlobs)
	return err
}

// fetch asks the exports, then the transcripts for what these did not have.
func (d *Daemon) fetch(ctx context.Context, o RepairOptions, out *Repaired, l *search) error {
	for _, path := range o.From {
		s, err := d.fromExport(ctx, path, o.DryRun, out, l)
		if err != nil {
			return err
		}
		out.Sources = append(out.Sources, s)
		if !o.DryRun {
			out.Added += s.Events
		}
	}
	out.Fetched = uint64(len(l.Fetched))
	if len(l.Lost) == len(l.Fetched) {
		return nil
	}
	return d.fromTranscripts(ctx, o, out, l.Stock)
}

// fromExport takes what one export has. Only an export of this log can tell what is missing: it shares
// events with it. Of sessions that were deleted nothing comes back.
func (d *Daemon) fromExport(ctx context.Context, path string, dry bool, out *Repaired, l *search) (RepairSource, error) {
	s := RepairSource{Kind: "export", Name: path}
	had := map[uint64]bool{}
	sound, fresh := map[string]bool{}, map[string]bool{} // contents, and ids of events, that no export before this one had
	o := importer.Options{Partial: true, Dry: true, Skip: func(r events.Record) bool { return l.Deleted[r.Session] || l.planned[r.ID] }}
	o.See = func(item export.Item, known bool) {
		if b := item.Blob; b != nil {
			if out.lacks(b.Digest) && !l.contents[b.Digest] {
				sound[b.Digest] = true
			}
			return
		}
		switch r := item.Event; {
		case known:
		case l.planned[r.ID]:
			s.Known++
		default:
			fresh[r.ID] = dry
		}
		if l.Lost[item.Event.Seq] {
			had[item.Event.Seq] = known
		}
		if item.Event.Type == events.TypeLogRepaired { // what came back before stands in the export too
			l.Note(item.Event.Appended, item.Event.Envelope)
		}
	}
	got, err := importer.File(ctx, path, d.toImport(), o, nil)
	if err != nil {
		var p *problem.Error
		if !errors.As(err, &p) {
			return s, err
		}
		s.Problem = strings.TrimPrefix(p.Message, path+": ")
		return s, nil
	}
	s.Events, s.Known, s.Blobs, s.Problem = got.Added, s.Known+got.Known, len(sound), got.Problem
	if s.Known == 0 && !l.Whole() {
		s.Events, s.Blobs, s.Problem = 0, 0, "it shares no event with this log; `replay import` takes such a file"
		return s, nil
	}
	for seq, known := range had {
		l.Fetched[seq] = true
		if known {
			l.Back[seq] = true
		}
	}
	out.NewBlobs += s.Blobs
	maps.Copy(l.contents, sound)
	maps.Copy(l.planned, fresh)
	if dry || s.Events+uint64(s.Blobs) == 0 {
		return s, nil
	}
	for digest := range sound {
		d.setAside(digest, out.BadBlobs)
	}
	o.Dry, o.See = false, nil
	if _, err = importer.File(ctx, path, d.toImport(), o, nil); err != nil {
		return s, err
	}
	for seq := range had {
		l.CameBack(seq)
	}
	return s, d.emitRepaired(ctx, had, filepath.Base(path))
}

// lacks tells whether a content is damaged or gone.
func (r *Repaired) lacks(digest string) bool {
	return slices.Contains(r.BadBlobs, digest) || slices.Contains(r.GoneBlobs, digest)
}

// emitRepaired records which lost sequences are back, so that later repairs know without the export.
func (d *Daemon) emitRepaired(ctx context.Context, seqs map[uint64]bool, source string) error {
	if len(seqs) == 0 {
		return nil
	}
	e := events.LogRepaired{Source: source}
	for _, r := range losses.Runs(seqs) {
		if len(e.Back) < damage.MaxRuns {
			e.Back = append(e.Back, events.SeqRun{First: r.First, Last: r.Last})
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.appendDerived(ctx, "", "", "", &e)
	return err
}

// setAside makes way for a sound content where a damaged one lies; it stays beside, as evidence.
func (d *Daemon) setAside(digest string, bad []string) {
	if !slices.Contains(bad, digest) {
		return
	}
	path := filepath.Join(d.opts.Home, "store", "blobs", strings.TrimPrefix(digest, "sha256:")+".zst")
	if err := os.Rename(path, path+".damaged"); err != nil {
		d.log.Warn("set a damaged blob aside", "err", err)
	}
}

// Recheck makes the next opening of a home's store read every block, whatever the last exit vouched for but the
// log's end.
// Nobody may have the store open.
func Recheck(home string) error { return block.Distrust(filepath.Join(home, "store")) }

// Renew begins a new log where nothing is left of the old one, behind the sequences that it is known to have
// had, and records the loss. What is left of the old one is set aside. It is for whoever has asked the user.
func Renew(ctx context.Context, dir string) error {
	d, err := Open(ctx, Options{Home: dir, Renew: true})
	if err != nil {
		return err
	}
	return errors.Join(d.Close(ctx), spawn.Succeeded(home.PathsOf(dir, os.Getenv))) // a start that failed is waited for no more
}

// Free tells whether nobody has the home's store.
func Free(home string) (bool, error) {
	_, _, held, err := embedded.Holder(filepath.Join(home, "hookd.lock"))
	return !held, err
}

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/home"
	"hookline/hookctl/wire"
)

// What an opening of the store found wrong with the log is recorded by that opening, before anything else is
// appended, and told to the user at the start of the next session, whoever opened it and whoever serves then.

// maxLost bounds how many lost sequences one event names.
const maxLost = 1000

// emitDamage records, once, what was lost, healed or brought back, and keeps the words for the user.
func (d *Daemon) emitDamage(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.ground.Report().Found
	if d.opts.unpacked {
		f.Whole, f.Forgot = false, false
	}
	switch {
	case d.recorded:
		return nil
	case f.Empty():
		d.recorded = true
		return d.ground.Recorded()
	}
	known, err := d.hasEvent(ctx, f.ID) // by an opening that was killed before it could say so
	if err == nil && !known {
		d.tellLater(saying{ID: f.ID, Text: wordsOf(f)})
		err = d.appendDamage(ctx, f)
	}
	if err == nil {
		d.recorded = true
		err = d.ground.Recorded()
	}
	if err != nil {
		return fmt.Errorf("record the log's damage: %w", err)
	}
	return nil
}

// hasEvent looks for an event among the newest.
func (d *Daemon) hasEvent(ctx context.Context, id string) (bool, error) {
	last, _ := d.stream.Last()
	found, err := d.stream.FindIDs(ctx, last-min(last, warmWindow)+1, map[string]struct{}{id: {}})
	return len(found) > 0, err
}

// appendDamage puts the event into the log, on disk.
func (d *Daemon) appendDamage(ctx context.Context, f embedded.Found) error {
	k, ok := events.Lookup(events.TypeLogDamaged)
	if !ok {
		return errors.New("no event type is called " + events.TypeLogDamaged)
	}
	data, err := json.Marshal(&events.LogDamaged{Block: blocksOf(f.Damage), Lost: sequences(f.Lost), Runs: runsOf(f.Lost), Healed: len(f.Mended), Problem: problemOf(f)})
	if err != nil {
		return err
	}
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	if f.ID == "" {
		f.ID = wire.NewID(now.UnixMilli())
	}
	seq, err := d.append(ctx, []events.Envelope{{ID: f.ID, Type: k.Type, Version: k.Version(), Time: now, Data: data}}, nil)
	if err != nil && !errors.Is(err, errRaced) {
		return err
	}
	return d.stream.Sync(ctx, seq)
}

// wordsOf is what the user is told.
func wordsOf(f embedded.Found) string {
	switch {
	case len(f.Lost) == 0 && f.Whole && f.EndUnknown:
		return fmt.Sprintf("the log was damaged (%s); what was recorded behind the archive's newest block, if anything was, is lost, and nothing tells how much. "+
			"`replay verify` checks what is there, `replay import` takes what an export has", problemOf(f))
	case len(f.Lost) == 0 && (len(f.Torn) > 0 || f.Forgot):
		return fmt.Sprintf("the log was damaged (%s). `replay verify` checks what is there", problemOf(f))
	case len(f.Lost) == 0:
		return fmt.Sprintf("the log was damaged (%s); no sequence is lost. `replay verify` checks what is there", problemOf(f))
	}
	return fmt.Sprintf("the log was damaged (%s); sequences lost: %s. `replay verify` checks what is there, `replay repair` fetches back what others still have",
		problemOf(f), rangesOf(f.Lost))
}

// saying is something that the user has to hear of once; ID is that of the event that says the same.
type saying struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// maxSayings bounds what waits: of a disk that goes on failing the newest words do.
const maxSayings = 5

func (d *Daemon) untoldPath() string { return filepath.Join(d.opts.Home, "told", "untold.json") }

// readUntold takes up what no session's start has told yet.
func (d *Daemon) readUntold() {
	content, err := os.ReadFile(d.untoldPath())
	if err == nil {
		err = json.Unmarshal(content, &d.sayings)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("what the user is to be told", "err", err)
	}
}

// tellLater keeps words until the next session starts, whichever daemon serves it. The caller holds d.mu.
func (d *Daemon) tellLater(s saying) {
	for _, u := range d.sayings {
		if u.ID == s.ID {
			return
		}
	}
	d.sayings = append(d.sayings, s)
	d.sayings = d.sayings[max(0, len(d.sayings)-maxSayings):]
	content, err := json.Marshal(d.sayings)
	if err == nil {
		err = home.PrivateDir(filepath.Dir(d.untoldPath()))
	}
	if err == nil {
		temp := d.untoldPath() + ".tmp"
		if err = os.WriteFile(temp, content, 0o600); err == nil {
			err = os.Rename(temp, d.untoldPath())
		}
	}
	if err != nil {
		d.log.Warn("keep the words for the user", "err", err) // this process still tells them
	}
}

// tellNow gives the words for the user, who has heard them then; "" when there are none. The caller holds d.mu.
func (d *Daemon) tellNow() string {
	if len(d.sayings) == 0 {
		return ""
	}
	var words []string
	for _, u := range d.sayings {
		words = append(words, u.Text)
	}
	d.sayings = nil
	if err := os.Remove(d.untoldPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("the user will be told again", "err", err)
	}
	return strings.Join(words, "\n")
}

func blocksOf(damage []block.Damage) string {
	names := make([]string, 0, len(damage))
	for _, dm := range damage {
		if len(names) == 0 || names[len(names)-1] != dm.Block {
			names = append(names, dm.Block)
		}
	}
	return strings.Join(names, ", ")
}

// problemOf says in one line what was wrong and what was done.
func problemOf(f embedded.Found) string {
	parts := []string{}
	if f.Unkept != "" {
		parts = append(parts, unkeptWords(f))
	}
	switch {
	case f.Renewed:
		parts = append(parts, "the log was gone and a new one begins behind it")
	case f.Forgot:
		parts = append(parts, forgotWords)
	case f.Whole:
		parts = append(parts, "the log was gone and was restored from the archive")
	case len(f.Damage) == 0 && len(f.Lost)+len(f.Restored) > 0:
		parts = append(parts, "blocks were missing")
	}
	if n := len(f.Damage); n > 0 {
		why := f.Damage[0].Why
		if n > 1 {
			why += fmt.Sprintf(", and in %d more", n-1)
		}
		parts = append(parts, why)
	}
	if len(f.Restored) > 0 {
		parts = append(parts, "taken from the archive: "+strings.Join(f.Restored, ", "))
	}
	if len(f.Mended) > 0 {
		parts = append(parts, "mended records: "+strconv.Itoa(len(f.Mended)))
	}
	if len(f.Torn) > 0 {
		parts = append(parts, tornWords(f.Torn))
	}
	if len(f.SetAside) > 0 {
		parts = append(parts, "set aside: "+strings.Join(f.SetAside, ", "))
	}
	return strings.Join(parts, "; ")
}

// forgotWords tells of a log whose large contents are all that is left.
const forgotWords = "the log was gone, nothing tells how far it had come, and a new one begins; export, backup or transcripts may have its events"

func unkeptWords(f embedded.Found) string {
	return "the disk refused what was written (" + f.Unkept + "), so the log's end was read from the disk again"
}

// tornWords tells of what the next events get the sequences of.
func tornWords(torn []block.Range) string {
	return "cut off at the end, and nothing tells whether it was acknowledged: sequence " + rangesOf(torn)
}

func sequences(ranges []block.Range) []uint64 {
	var out []uint64
	for _, r := range ranges {
		for seq := r.First; seq <= r.Last && len(out) < maxLost; seq++ {
			out = append(out, seq)
		}
	}
	return out
}

// maxRuns bounds how many runs one event names: a log that is damaged in more places has lost its order.
const maxRuns = 10_000

func runsOf(ranges []block.Range) []events.SeqRun {
	var out []events.SeqRun
	for _, r := range ranges[:min(len(ranges), maxRuns)] {
		out = append(out, events.SeqRun{First: r.First, Last: r.Last})
	}
	return out
}

func rangesOf(ranges []block.Range) string {
	if len(ranges) == 0 {
		return "none"
	}
	parts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		if r.First == r.Last {
			parts = append(parts, fmt.Sprint(r.First))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	return strings.Join(parts, ", ")
}

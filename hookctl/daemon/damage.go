package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/damage"
	"hookline/hookctl/home"
	"hookline/hookctl/wire"
)

// What an opening of the store found wrong with the log is recorded by that opening, before anything else is
// appended, and told to the user at the start of the next session, whoever opened it and whoever serves then.

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
		d.tellLater(saying{ID: f.ID, Text: damage.Told(f)})
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
	data, err := json.Marshal(damage.Event(f))
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

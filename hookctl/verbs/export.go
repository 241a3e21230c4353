package verbs

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/replay/carry"
)

// lastCopy is the export of a log that is about to go.
type lastCopy struct {
	carry.Saved
	lacks []string // what the log should have and the file has not
}

// exportLog writes the whole log as `replay export` does into <home>-export-<time>.ndjson.zst beside the
// home, and reads the file again to its end. It returns when the file is on disk; a home without a store
// has nothing to export, and File is "" then.
func (a *app) exportLog(home string) (lastCopy, error) {
	a.door = &door{need: needStore}
	defer a.door.close()
	if _, err := a.answering(); err != nil {
		if isMissing(err) {
			err = nil
		}
		return lastCopy{}, err
	}
	file := filepath.Clean(home) + "-export-" + a.Now().UTC().Format("20060102T150405Z") + ".ndjson.zst"
	saved, err := carry.Save(file, func(line func([]byte) error) error {
		return a.stream(http.MethodGet, "/v1/export", nil, line)
	}, func(uint64, uint64) {})
	if errors.Is(err, os.ErrExist) {
		return lastCopy{}, problem.Faultf("%s exists", file).Advise("move it away; nothing is overwritten")
	}
	if err != nil {
		return lastCopy{}, err
	}
	st, err := a.stand()
	if err != nil {
		return lastCopy{}, err
	}
	return compared(saved, st)
}

// compared reads the file as an import would. One that cannot be read so is no copy; what the log itself
// had lost before is not in it either, and is told.
func compared(saved carry.Saved, st client.Status) (lastCopy, error) {
	read, err := carry.ReadBack(saved.File)
	switch {
	case err != nil:
		return lastCopy{}, err
	case read.Events != saved.Events || read.Blobs != saved.Blobs || read.Header.From.Last != st.Seq:
		return lastCopy{}, fmt.Errorf("%s has %d events up to sequence %d, %d up to %d were expected", saved.File,
			read.Events, read.Header.From.Last, saved.Events, st.Seq)
	}
	c := lastCopy{Saved: saved}
	if saved.Missing > 0 {
		c.lacks = append(c.lacks, cmdline.Plural(saved.Missing, "large content")+" that events refer to")
	}
	if len(st.Damage) > 0 {
		c.lacks = append(c.lacks, "what was lost with "+cmdline.Plural(len(st.Damage), "damaged place")+" of the log")
	}
	return c, nil
}

// accept lets the log go although the copy lacks something: only a person can say so, --yes does not.
func (a *app) accept(c lastCopy) error {
	if len(c.lacks) == 0 {
		return nil
	}
	lacks := strings.Join(c.lacks, ", and ")
	a.Say(c.File + " lacks " + lacks)
	if a.Asks {
		ok, err := a.Ask(a.ctx, "remove the log although its export is incomplete?")
		if err != nil {
			return cmdline.Silent(cmdline.ExitInterrupted)
		}
		if ok {
			return nil
		}
	}
	return problem.Faultf("the export is incomplete").Advise("`replay repair` fetches what others still have; on a terminal you are asked")
}

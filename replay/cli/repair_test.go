package cli

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded/block"
	"hookline/expect"
)

func TestRepairWords(t *testing.T) {
	newHome(t)
	for _, c := range []struct {
		name, answer string
		exit         int
		want         string
	}{
		{"sealed blocks are damaged", `{"pid":1,"damage":["2.blk at byte 9: checksum does not match"],"blocks":1200}`, 2, `damage  2.blk at byte 9: checksum does not match
blocks   1,200 sealed, read
blobs    0 read
1 damaged place in sealed blocks: the store must be opened anew to mend them
`},
		{"everything is missing", `{"pid":1,"lost":[{"first":4,"last":9},{"first":12,"last":12}],"lost_n":7,"back":[{"first":6,"last":7}],"back_n":2,"fetched":3,"not_had":4,"bad_blobs":["aa"],"gone_blobs":["bb","cc"],"new_blobs":1}`, 1, `lost    sequence 4-5
lost    sequence 8-9
lost    sequence 12
back    sequence 6-7, at the end of the log
blob    aa is damaged
blob    bb is gone
blob    cc is gone
blocks   0 sealed, read
blobs    0 read
lost     7 sequences: 2 back, 1 in exports, 0 events rebuilt from transcripts, 4 nowhere
4 lost sequences and 2 large contents could not be had; --from FILE and --transcripts DIR name more places
`},
		{"others have it", `{"pid":1,"dry_run":true,"waiting":2,"quarantined":1,"lost_n":1,"lost":[{"first":4,"last":4}],"fetched":1,"rebuilt":1,` +
			`"sources":[{"kind":"export","name":"a","events":1,"known":1204,"blobs":1},{"kind":"transcript","name":"b","events":1,"problem":"line 7 is no JSON"}]}`, 0, `lost    sequence 4
export      a: 1 event to add, 1,204 known, 1 blob
transcript  b: 1 event to add, 0 known, 0 blobs; line 7 is no JSON
blocks   0 sealed, read
blobs    0 read
spool    2 frames waiting for the daemon, 1 in quarantine
lost     1 sequence: 0 back, 1 in exports, 1 event rebuilt from transcripts, 0 nowhere
everything that is missing can be had
`},
		{"an export is damaged", `{"pid":1,"dry_run":true,"sources":[{"kind":"export","name":"a","problem":"cut off"}]}`, 1, `export      a: 0 events to add, 0 known, 0 blobs; cut off
blocks   0 sealed, read
blobs    0 read
nothing is damaged and nothing is missing
`},
	} {
		r := newRun().on(&canned{results: []string{c.answer}}).do(t, c.exit, "repair", "--dry-run")
		expect.Equal(t, r.stdout.String(), c.want, c.name)
	}
}

// Damaged blocks are mended by the next opening, so whoever has the store is stopped first.
func TestRepairStopsTheDaemon(t *testing.T) {
	home := recorded(t)
	const damaged, mended = `{"pid":1,"damage":["2.blk at byte 9: checksum does not match"]}`, `{"added":3,"seq":1207}`
	h := &canned{results: []string{damaged}}
	r := newRun()
	r.Asks, r.In = true, strings.NewReader("no\n")
	r.on(h).do(t, 1, "repair")
	expect.Equal(t, r.stderr.String(), "stop the daemon and repair it? [y/N] replay: error: nothing was done\n", "stderr")

	if m, err := block.ReadMarker(filepath.Join(home, "store")); err != nil || len(m.Blocks) == 0 {
		t.Errorf("%+v, %v", m, err)
	}
	h = &canned{results: []string{damaged, mended}}
	dir := t.TempDir()
	r = newRun().on(h).do(t, 0, "repair", "--yes", "--transcripts", dir)
	expect.Equal(t, r.stdout.String(), "blocks   0 sealed, read\nblobs    0 read\n3 events added, up to sequence 1,207\n", "stdout")
	in := "transcripts=" + url.QueryEscape(dir)
	expect.Equal(t, strings.Join(h.asked, "\n"), "POST /v1/repair?dry_run=1&"+in+"\nPOST /v1/stop?reason=repair\nPOST /v1/repair?"+in, "requests")
	if _, err := block.ReadMarker(filepath.Join(home, "store")); !errors.Is(err, block.ErrNoMarker) {
		t.Errorf("the next opening would not read every block: %v", err)
	}

	s := held(t, home)
	defer s.Close(context.Background())
	r = newRun().on(&canned{results: []string{damaged}})
	waited := r.pausing()
	r.do(t, 1, "repair", "--yes")
	expect.Equal(t, r.stderr.String(), "replay: error: the daemon did not end\nreplay: hint: `hookctl status` tells what it does\n", "stderr")
	expect.Equal(t, *waited, 20*time.Second)
}

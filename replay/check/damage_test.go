package check

import (
	"slices"
	"testing"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
)

const refused = "the disk refused what was written (input/output error), so the log's end was read from the disk again"

// What was cut off may have been acknowledged: it is named, and nobody is told that nothing is lost.
func TestWordsForATornEnd(t *testing.T) {
	f := embedded.Found{Damage: []block.Damage{{Block: "1.blk", Offset: 1354, FirstSeq: 5, LastSeq: 5, Why: "record is cut off at the end of the block"}},
		Torn: []block.Range{{First: 3, Last: 5}}}
	want := "the log was damaged (record is cut off at the end of the block; cut off at the end, and nothing tells whether it was acknowledged: sequence 3-5). " +
		"`replay verify` checks what is there"
	expect.Equal(t, Told(f), want)
}

// Each thing that an opening found has a line, here and in what status lists.
func TestLines(t *testing.T) {
	bad := block.Damage{Block: "1.blk", Offset: 17, FirstSeq: 3, LastSeq: 4, Why: "checksum does not match"}
	f := embedded.Found{Damage: []block.Damage{bad}, Did: []string{"taken from the archive: 2.blk", "set aside: 3.blk"}, Lost: []block.Range{{First: 3, Last: 4}, {First: 9, Last: 9}}}
	want := []string{"1.blk at byte 17: checksum does not match, sequences 3 to 4", "taken from the archive: 2.blk", "set aside: 3.blk",
		"sequences lost: 3-4, 9"}
	if got := Opened(embedded.Report{Found: f}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	f.Did = []string{refused}
	want = []string{"1.blk at byte 17: checksum does not match, sequences 3 to 4", refused}
	if got := Status(embedded.Report{Found: f, Damage: []block.Damage{bad}}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Status(embedded.Report{}); got == nil || len(got) != 0 {
		t.Errorf("%q", got)
	}
	e := EventOf(f)
	if e.Block != "1.blk" || !slices.Equal(e.Lost, []uint64{3, 4, 9}) || len(e.Runs) != 2 || e.Runs[0] != (events.SeqRun{First: 3, Last: 4}) {
		t.Errorf("%+v", e)
	}
}

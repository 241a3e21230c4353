package damage

import (
	"testing"

	"hookline/embedded"
	"hookline/embedded/block"
)

// A disk that refused a write is told of, also when nothing came of it.
func TestWordsForARefusal(t *testing.T) {
	want := "the log was damaged (the disk refused what was written (input/output error), so the log's end was read from the disk again); " +
		"no sequence is lost. `replay verify` checks what is there"
	if got := Told(embedded.Found{Unkept: "input/output error"}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// What was cut off may have been acknowledged: it is named, and nobody is told that nothing is lost.
func TestWordsForATornEnd(t *testing.T) {
	f := embedded.Found{Damage: []block.Damage{{Block: "1.blk", Offset: 1354, FirstSeq: 5, LastSeq: 5, Why: "record is cut off at the end of the block"}},
		Torn: []block.Range{{First: 3, Last: 5}}}
	want := "the log was damaged (record is cut off at the end of the block; cut off at the end, and nothing tells whether it was acknowledged: sequence 3 to 5). " +
		"`replay verify` checks what is there"
	if got := Told(f); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

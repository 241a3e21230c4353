package check

import (
	"hash/maphash"
	"slices"
	"testing"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/api"
)

// A hole is cut where the events that name it begin and end.
func TestHolesArePartedByName(t *testing.T) {
	e := evidence{refs: map[string]bool{}, seed: maphash.MakeSeed(), ids: map[uint64]uint64{}}
	for id, ev := range map[string]*events.LogDamaged{
		"A": {Lost: []uint64{4, 5}},
		"B": {Runs: []events.SeqRun{{First: 7, Last: 8}, {First: 30, Last: 20}}, Lost: []uint64{7, 8}},
	} {
		e.take(events.Record{Envelope: events.Envelope{ID: id}, Event: ev})
	}
	e.found = []embedded.Finding{
		{Kind: embedded.Erased, First: 1, Last: 2},
		{Kind: embedded.Cut, First: 3, Last: 9},
		{Kind: embedded.Missing, First: 12, Last: 12},
		{Kind: embedded.Damaged, Block: "2.blk", Offset: 7, Why: "zeros after the last record"},
		{Kind: embedded.Unreadable, First: 14, Last: 14, Why: "unreadable payload"},
	}
	var v api.Verdict
	e.take(events.Record{Envelope: events.Envelope{ID: "C"}, Event: &events.LogDamaged{Lost: []uint64{12}}})
	e.judge(&v, "C", []block.Damage{{Block: "1.blk", Offset: 99, FirstSeq: 9, LastSeq: 9, Why: "checksum does not match"}})
	known := []api.Hole{{First: 1, Last: 2, Kind: "erased"}, {First: 4, Last: 5, Kind: "cut", Event: "A"},
		{First: 7, Last: 8, Kind: "cut", Event: "B"}}
	if !slices.Equal(v.Known, known) {
		t.Errorf("known %+v", v.Known)
	}
	fresh := []api.Hole{{First: 3, Last: 3, Kind: "cut"}, {First: 6, Last: 6, Kind: "cut"},
		{First: 9, Last: 9, Kind: "cut", Block: "1.blk", Offset: 99, Why: "checksum does not match"}, {First: 12, Last: 12, Kind: "missing"},
		{First: 14, Last: 14, Kind: "unreadable", Why: "unreadable payload"}}
	if !slices.Equal(v.New, fresh) {
		t.Errorf("new %+v", v.New)
	}
	words := []string{"sequence 3 is lost: the store was opened without it", "sequence 6 is lost: the store was opened without it",
		"1.blk at byte 99: checksum does not match, sequence 9", "sequence 12 is missing, and no event says why",
		"2.blk at byte 7: zeros after the last record", "sequence 14 cannot be read: unreadable payload"}
	if !slices.Equal(v.Damage, words) {
		t.Errorf("%q", v.Damage)
	}
}

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// row is one line of the table as it is printed there: what is measured, and its goal: ≤ or ≥, a number, perhaps a unit.
type row string

// line is the row after its number: three significant digits of the value, whole numbers from 100 on.
func (r row) line(v float64) string {
	format := "%.3g"
	if v >= 100 {
		format = "%.0f"
	}
	_, words, _ := strings.Cut(string(r), " | ")
	goal := strings.Fields(words)
	limit := must(strconv.ParseFloat(goal[1], 64))
	value := append([]string{fmt.Sprintf(format, v)}, goal[2:]...)

	verdict := "MISS"
	if v == limit || (v > limit) == (goal[0] == "≥") {
		verdict = "OK"
	}
	return fmt.Sprintf("%s | %s | %s |", r, strings.Join(value, " "), verdict)
}

// measure is what is taken at one time: the function that returns a value for each row.
type measure struct {
	take func(*bench) []float64
	rows []row
}

// long are the measures that are taken only when they are named.
var long = []int{16, 19, 22, 24}

// table holds every measure with its goal, from number 1 on; docs/benchmarks.md says how each is taken.
var table = []measure{
	{(*bench).brief, []row{"process `consciousness brief`, warm / empty Go program | ≤ 2"}},
	{(*bench).postToolUse, []row{"process `hook PostToolUse` (2.1 KB, durable) / empty Go program | ≤ 3"}},
	{(*bench).largeWrite, []row{"the same with 6.5 MB | ≤ 150 ms"}},
	{(*bench).session, []row{"p99 over a session's hooks in order | ≤ 10 ms"}},
	{(*bench).atOnce, []row{"32 hooks at once, wall / one | ≤ 10"}},
	{(*bench).ingest, []row{
		"ingest in the daemon / JetStream publish, SyncAlways, 1 at once | ≥ 0.8",
		"ingest in the daemon / JetStream publish, SyncAlways, 8 at once | ≥ 0.8",
		"ingest in the daemon / JetStream publish, SyncAlways, 32 at once | ≥ 0.8",
		"ingest in the daemon / JetStream publish with an fsync shared as ours, 1 at once | ≥ 0.8",
		"ingest in the daemon / JetStream publish with an fsync shared as ours, 8 at once | ≥ 0.8",
		"ingest in the daemon / JetStream publish with an fsync shared as ours, 32 at once | ≥ 0.8"}},
	{(*bench).verify, []row{"replay verify, events/s / ordered consumer that discards | ≥ 0.5"}},
	{(*bench).coldStart, []row{"SessionStart with the daemon down, 100,000 events | ≤ 500 ms"}},
	{(*bench).idle, []row{"hookd idle, 100,000 events: resident memory | ≤ 64 MiB", "hookd idle, 100,000 events: CPU | ≤ 0.5 %"}},
	{(*bench).formatBrief, []row{"FormatBrief | ≤ 1 µs", "FormatBrief, allocations | ≤ 0"}},
	{(*bench).size, []row{"bytes of the store after stop / bytes of hook JSON | ≤ 0.4"}},
	{(*bench).redaction, []row{"redaction of a tool's output, 2.1 KB | ≤ 1 ms", "redaction of a large Write, 6.5 MB | ≤ 60 ms"}},
	{(*bench).tailDelay, []row{"delay of an event in `tail -f` | ≤ 100 ms"}},
	{(*bench).gates, []row{"process `hook PreToolUse`, 20 gates, 10000 gate events / empty Go program | ≤ 3"}},
	{(*bench).past, []row{"`replay at` of one session, 100,000 events | ≤ 200 ms"}},
	{(*bench).million, []row{
		"1 M events: start after an exit in order | ≤ 500 ms",
		"1 M events: start after kill -9 | ≤ 3000 ms",
		"1 M events: process `find`, p95 | ≤ 50 ms",
		"1 M events: `replay at` of one session | ≤ 200 ms",
		"1 M events: `replay diff` of 300 events, one projection | ≤ 200 ms",
		"1 M events: replay verify, events/s / ordered consumer that discards | ≥ 0.8",
		"1 M events: replay rebuild, events/s / ordered consumer that discards | ≥ 0.8"}},
	{(*bench).blocks, []row{"block check, every checksum verified, one processor | ≥ 500 MB/s"}},
	{(*bench).killed, []row{"start after kill -9 under 8 hooks at once | ≤ 2000 ms"}},
	{(*bench).sixMillion, []row{
		"6 M events of 60,000 sessions: start after an exit in order | ≤ 1500 ms",
		"6 M events of 60,000 sessions: resident memory, idle | ≤ 96 MiB"}},
	{(*bench).search, []row{
		"process `find`, p95, 100,000 events | ≤ 50 ms",
		"a hook's words are found, behind the end of its process | ≤ 1000 ms",
		"bytes of the search index / bytes of the texts that it searches | ≤ 0.5"}},
	{(*bench).recovery, []row{"SessionStart behind a compaction, 10,000 events of working state and ledger | ≤ 20 ms"}},
	{(*bench).before, []row{"process `hook PostToolUse` / that of the build in -against | ≤ 1.05"}},
	{(*bench).codes, []row{
		"codes: load | ≤ 5 ms",
		"codes: format | ≤ 1 ms",
		"codes: save, in the daemon and durable | ≤ 5 ms",
		"codes: cleanup of 10 projects, whole process | ≤ 100 ms"}},
	{(*bench).imported, []row{"import of transcripts, 1 GB / decoding their lines | ≤ 5"}},
}

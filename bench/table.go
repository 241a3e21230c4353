package main

import "context"

// row is one line of the table.
type row struct {
	what string
	goal goal
}

// measure is what is taken at one time: its rows, how it is taken (for the documentation), and the function that gives
// a reading for each row.
type measure struct {
	number int
	long   bool // taken only when asked for
	rows   []row
	how    string
	take   func(*bench, context.Context) ([]reading, error)
}

// table holds every measure with its goal, by number.
var table = []measure{
	{1, false, []row{{"process `consciousness brief`, warm / empty Go program", atMost(2, "")}},
		"`hookctl consciousness brief` of a live session with the daemon running, against `func main() {}` built with the same flags.", (*bench).brief},
	{2, false, []row{{"process `hook PostToolUse` (2.1 KB, durable) / empty Go program", atMost(3, "")}},
		"`hookctl hook PostToolUse` with a test run's output, 2 KiB of JSON on stdin, each with its own tool call.", (*bench).postToolUse},
	{3, false, []row{{"the same with 6.5 MB", atMost(150, "ms")}},
		"The same with a Write of 3 MB: the content stands in tool_input and again in tool_response. No two are alike, so no blob is shared.", (*bench).largeWrite},
	{4, false, []row{{"p99 over a session's hooks in order", atMost(10, "ms")}},
		"Every hook of a session in its order, one process after the other, into an empty home.", (*bench).session},
	{5, false, []row{{"32 hooks at once, wall / one", atMost(10, "")}},
		"32 processes started at once, from the first fork to the last exit, over one alone before each burst.", (*bench).atOnce},
	{6, false, []row{
		{"ingest in the daemon / JetStream publish, SyncAlways, 1 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish, SyncAlways, 8 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish, SyncAlways, 32 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish with an fsync shared as ours, 1 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish with an fsync shared as ours, 8 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish with an fsync shared as ours, 32 at once", atLeast(.8, "")}},
		`The daemon's Take in this process (redact, decode, decide, append, fold, render, sync) against a bare JetStream publish of the
   same JSON to a server with the same options: first in JetStream's own durable mode, SyncAlways, then with an fsync that all who
   wait share, which is ours and which JetStream does not offer. Events per second, blocks in turn.`, (*bench).ingest},
	{7, false, []row{{"replay verify, events/s / ordered consumer that discards", atLeast(.5, "")}},
		`Verify (read, decode, fold, compare every cell), the whole process without a daemon, against an ordered consumer that discards what
   it gets, on a copy of the log of 100,000 events.`, (*bench).verify},
	{8, false, []row{{"SessionStart with the daemon down, 100,000 events", atMost(500, "ms")}},
		"`hookctl hook SessionStart` while no daemon runs: the time includes the start of hookd and the real answer. The page cache is warm.", (*bench).coldStart},
	{9, false, []row{
		{"hookd idle, 100,000 events: resident memory", atMost(64, "MiB")},
		{"hookd idle, 100,000 events: CPU", atMost(.5, "%")}},
		"Resident memory of a daemon that was started 10 s ago and has nothing to do; processor time after that.", (*bench).idle},
	{10, false, []row{{"FormatBrief", atMost(1, "µs")}, {"FormatBrief, allocations", atMost(0, "")}},
		"The brief's formatting, in a loop.", (*bench).formatBrief},
	{11, false, []row{{"bytes of the store after stop / bytes of hook JSON", atMost(.4, "")}},
		`Bytes of all files below the store's folder after the daemon stopped in order, a file with several links counted once, over
    the bytes of the hooks' compact JSON of measure 4. The aim is 0.30. The goal is about recorded sessions of some hundred hooks
    (-hooks): a short one comes out higher, since the store's own files weigh more.`, (*bench).size},
	{12, false, []row{{"redaction of a tool's output, 2.1 KB", atMost(1, "ms")}, {"redaction of a large Write, 6.5 MB", atMost(60, "ms")}},
		"The redactor on a tool's output of 2 KB and on a Write of 3 MB (6 MB of JSON), source code both.", (*bench).redaction},
	{13, false, []row{{"delay of an event in `tail -f`", atMost(100, "ms")}},
		"From the exit of a hook's process to its line in the output of `hookctl tail -f -o json`.", (*bench).tailDelay},
	{14, false, []row{{"process `hook PreToolUse`, 20 gates, 10000 gate events / empty Go program", atMost(3, "")}},
		"An Edit that is asked for at every gate of a list, all of them open, on a branch with a long past.", (*bench).gates},
	{15, false, []row{{"`replay at` of one session, 100,000 events", atMost(200, "ms")}},
		"`replay at SEQUENCE identity SESSION` of a session in the middle of the long log, whole process: without a daemon, and then with one.", (*bench).past},
	{16, true, []row{
		{"1 M events: start after an exit in order", atMost(500, "ms")},
		{"1 M events: start after kill -9", atMost(3000, "ms")},
		{"1 M events: `replay at` of one session", atMost(200, "ms")},
		{"1 M events: `replay diff` of 300 events, one projection", atMost(200, "ms")},
		{"1 M events: replay verify, events/s / ordered consumer that discards", atLeast(.8, "")},
		{"1 M events: replay rebuild, events/s / ordered consumer that discards", atLeast(.8, "")}},
		"With -million only. Starts are `hookctl start`" + `, the ids of the log forgotten (the server remembers them for two minutes);
    verify and rebuild are whole processes without a daemon, with the start and the stop of the store.`, (*bench).million},
	{17, false, []row{{"block check, every checksum verified, one processor", atLeast(500, "MB/s")}},
		`Every record of the long log's blocks read and compared with its checksum, in this process, as a start after a crash does with what
    nothing vouches for. The page cache is warm.`, (*bench).check},
	{18, false, []row{{"start after kill -9 under 8 hooks at once", atMost(2000, "ms")}},
		"`hookctl start` at once after a kill -9 of the daemon while eight clients at a time send hooks; whoever comes first starts it.", (*bench).killed},
	{19, true, []row{
		{"6 M events of 60,000 sessions: start after an exit in order", atMost(1500, "ms")},
		{"6 M events of 60,000 sessions: resident memory, idle", atMost(96, "MiB")}},
		"With -million only: some years of heavy use. Taken as measures 16 and 9 are.", (*bench).sixMillion},
}

package main

// row is one line of the table.
type row struct {
	what string
	goal goal
}

// measure is what is taken at one time: its rows, and the function that gives a reading for each.
type measure struct {
	number int
	long   bool // taken only when asked for
	rows   []row
	take   func(*bench) []reading
}

// table holds every measure with its goal, by number; docs/benchmarks.md says how each is taken.
var table = []measure{
	{1, false, []row{{"process `consciousness brief`, warm / empty Go program", atMost(2, "")}}, (*bench).brief},
	{2, false, []row{{"process `hook PostToolUse` (2.1 KB, durable) / empty Go program", atMost(3, "")}}, (*bench).postToolUse},
	{3, false, []row{{"the same with 6.5 MB", atMost(150, "ms")}}, (*bench).largeWrite},
	{4, false, []row{{"p99 over a session's hooks in order", atMost(10, "ms")}}, (*bench).session},
	{5, false, []row{{"32 hooks at once, wall / one", atMost(10, "")}}, (*bench).atOnce},
	{6, false, []row{
		{"ingest in the daemon / JetStream publish, SyncAlways, 1 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish, SyncAlways, 8 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish, SyncAlways, 32 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish with an fsync shared as ours, 1 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish with an fsync shared as ours, 8 at once", atLeast(.8, "")},
		{"ingest in the daemon / JetStream publish with an fsync shared as ours, 32 at once", atLeast(.8, "")}}, (*bench).ingest},
	{7, false, []row{{"replay verify, events/s / ordered consumer that discards", atLeast(.5, "")}}, (*bench).verify},
	{8, false, []row{{"SessionStart with the daemon down, 100,000 events", atMost(500, "ms")}}, (*bench).coldStart},
	{9, false, []row{
		{"hookd idle, 100,000 events: resident memory", atMost(64, "MiB")},
		{"hookd idle, 100,000 events: CPU", atMost(.5, "%")}}, (*bench).idle},
	{10, false, []row{{"FormatBrief", atMost(1, "µs")}, {"FormatBrief, allocations", atMost(0, "")}}, (*bench).formatBrief},
	{11, false, []row{{"bytes of the store after stop / bytes of hook JSON", atMost(.4, "")}}, (*bench).size},
	{12, false, []row{{"redaction of a tool's output, 2.1 KB", atMost(1, "ms")}, {"redaction of a large Write, 6.5 MB", atMost(60, "ms")}}, (*bench).redaction},
	{13, false, []row{{"delay of an event in `tail -f`", atMost(100, "ms")}}, (*bench).tailDelay},
	{14, false, []row{{"process `hook PreToolUse`, 20 gates, 10000 gate events / empty Go program", atMost(3, "")}}, (*bench).gates},
	{15, false, []row{{"`replay at` of one session, 100,000 events", atMost(200, "ms")}}, (*bench).past},
	{16, true, []row{
		{"1 M events: start after an exit in order", atMost(500, "ms")},
		{"1 M events: start after kill -9", atMost(3000, "ms")},
		{"1 M events: process `find`, p95", atMost(50, "ms")},
		{"1 M events: `replay at` of one session", atMost(200, "ms")},
		{"1 M events: `replay diff` of 300 events, one projection", atMost(200, "ms")},
		{"1 M events: replay verify, events/s / ordered consumer that discards", atLeast(.8, "")},
		{"1 M events: replay rebuild, events/s / ordered consumer that discards", atLeast(.8, "")}}, (*bench).million},
	{17, false, []row{{"block check, every checksum verified, one processor", atLeast(500, "MB/s")}}, (*bench).blocks},
	{18, false, []row{{"start after kill -9 under 8 hooks at once", atMost(2000, "ms")}}, (*bench).killed},
	{19, true, []row{
		{"6 M events of 70,000 sessions: start after an exit in order", atMost(1500, "ms")},
		{"6 M events of 70,000 sessions: resident memory, idle", atMost(96, "MiB")}}, (*bench).sixMillion},
	{20, false, []row{
		{"process `find`, p95, 100,000 events", atMost(50, "ms")},
		{"a hook's words are found, behind the end of its process", atMost(1000, "ms")},
		{"bytes of the search index / bytes of the texts that it searches", atMost(.5, "")}}, (*bench).search},
	{21, false, []row{{"SessionStart behind a compaction, 10,000 events of working state and ledger", atMost(20, "ms")}}, (*bench).recovery},
	{22, true, []row{{"process `hook PostToolUse` / that of the build in -against", atMost(1.05, "")}}, (*bench).before},
	{23, false, []row{
		{"codes: load", atMost(5, "ms")},
		{"codes: format", atMost(1, "ms")},
		{"codes: save, in the daemon and durable", atMost(5, "ms")},
		{"codes: cleanup of 10 projects, whole process", atMost(100, "ms")}}, (*bench).codes},
	{24, true, []row{{"import of transcripts, 1 GB / decoding their lines", atMost(5, "")}}, (*bench).imported},
}

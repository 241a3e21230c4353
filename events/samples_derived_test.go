package events

// sampleDigest is the SHA-256 of the empty input.
const sampleDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func sampleVector() []float64 {
	return []float64{0.2774, 0.1961, 0.3397, 0.1387, 0.2402, 0.3101, 0.4161, 0.1961, 0.2774, 0.1387, 0.3397, 0.3922, 0.1961}
}

func samplePhases() []float64 {
	return []float64{0.0125, 0.4833, 0.9666, 1.45, 1.9333, 2.4166, 2.8999, 3.3833, 3.8666, 4.3499, 4.8332, 5.3166, 5.7999}
}

func sampleSums() []float64 {
	return []float64{1, 0.5, 2, 0.25, 0.75, 1.5, 3, 0.5, 1, 0.25, 2, 2.5, 0.5}
}

func sampleCarry() *Carry {
	return &Carry{PurposeVector: sampleVector(), Sums: sampleSums(), Phases: samplePhases(), Coupling: 0.5, Successes: 7.25,
		Calls: 8.5, LastEntry: sampleVector(), LastIC: 0.9132, Unused: map[int]int{3: 2, 9: 4}}
}

func number(v float64) *float64 { return &v }

// derivedSamples holds one event of everything that hookline itself finds out, with every field set.
func derivedSamples() []Event {
	return []Event{
		&HookRefused{Reason: "truncated", Size: 12, Head: `{"session_id`, Digest: sampleDigest, Given: "PostToolUse", ToolUseID: "toolu_01A7BkQ2sVd9hYx3MfRw5TzN"},
		&FrameConflicted{Frame: "01KAJ3Z8T0V9Q4XW2N6M5R7S1B", Digest: sampleDigest, Data: raw(`{"hook_event_name":"Stop"}`)},
		&FrameDuplicated{Original: "01KAJ3Z8T0V9Q4XW2N6M5R7S1B", Install: "/usr/local/bin/hookctl", First: "/home/dev/.local/bin/hookctl"},
		&SessionReaped{Reason: "process_gone", PID: 4711, LastActive: "2026-11-21T07:52:00.123Z"},
		&SessionDeleted{Reason: "a customer's data"},
		&ProjectSeen{Path: "/project/.git", Git: true, Name: "project", RootCommit: "8f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5f6071829",
			Remote: "https://example.org/team/project.git"},
		&ProjectMoved{From: "/old/project/.git", To: "/project/.git", By: "root_commit and remote"},
		&ProjectRehomed{From: "1f3a90c2b7de", Path: "/old/project/.git"},
		&RecordRetracted{Target: "01KAJ3Z8T0V9Q4XW2N6M5R7S1B", Reason: "the decision was another session's"},
		&ContextInjected{Hook: "SessionStart", Items: []InjectedItem{{ID: "identity.start", Event: sampleOther, Tokens: 13, Digest: sampleDigest[:12]}}, Tokens: 13, Left: 1},
		&CanarySent{Nonce: "5b0e7f42"},
		&DaemonStarted{Build: "0.1.0", PID: 815, Clean: true, Spooled: 3, After: "0.0.9"},
		&DaemonStopped{Reason: "idle"},
		&LogDamaged{Block: "7.blk", Lost: []uint64{7159, 7160}, Runs: []SeqRun{{First: 7159, Last: 7160}}, Healed: 41, Problem: "checksum differs"},
		&LogRepaired{Back: []SeqRun{{First: 7159, Last: 7160}}, Source: "before.ndjson.zst"},
		&ClockJumped{BackMS: 3600000},
		&IdentityRestored{Source: "startup", Outcome: "restored", Previous: sampleOther, Snapshot: 1795247520123, GapMS: 86400000,
			Carry: sampleCarry()},
		&IdentityObserved{PurposeVector: sampleVector(), KuramotoPhases: samplePhases(), Coupling: number(0.9), Accuracy: number(0.85),
			Consciousness: number(0.97), Observer: "context-graph", PreviousSession: sampleOther},
		&IdentityPersisted{Reason: "reaped", AsOf: "2026-11-21T07:51:58Z"},
		&PhasesReset{Reason: "phase 4 was NaN"},
		&TrajectoryShortened{SizeBytes: 31044, Dropped: 6},
		&IdentityRecovered{At: "2026-11-20T12:00:00Z", Session: sampleOther, Seq: 48211, Replaces: sampleSession, Carry: sampleCarry()},
		&DreamTriggered{Phase: "full", Reason: "crisis", IC: 0.42},
		&DreamCompleted{Phase: "full", BeforeIC: 0.42, AfterIC: 0.81, BeforeR: 0.4215, AfterR: 0.9931, Entries: 50,
			BlindSpots: []string{"ordering", "multimodality"}, Expired: 2, PurposeVector: sampleVector(), Sums: sampleSums(),
			Phases: samplePhases(), DurationMS: 12.5},
		&DreamFailed{Phase: "nrem", Error: "no trajectory", IC: 0.42},
		&GateSatisfied{Name: "commit_plan", Scope: GateScopeSession, Level: GateLevelSession, By: "skill", ExpiresAt: "2026-11-21T07:57:00.123Z",
			Skill: "requirements-framework:arch-review", Since: "2026-11-21T07:50:00.123Z", Caller: "person", Metadata: raw(`{"skill":"requirements-framework:arch-review"}`)},
		&GateTriggered{Name: "commit_plan", Scope: GateScopeSession},
		&GateBlocked{Names: []string{"commit_plan", "branch_size_limit"}, Tool: "Edit", Target: "file /p/main.go", Digest: sampleDigest[:16], Short: true,
			Values: map[string]map[string]string{"branch_size_limit": {"value": "412", "base_branch": "origin/main"}}},
		&GateCleared{Name: "pre_commit_review", AllSessions: true, Reason: GateClearedCommand},
		&GateReserved{Name: "pre_commit_review", ToolUseID: "toolu_01", AgentID: "agent-1", Head: "9fceb02d0ae598e95dc970b74767f19372d61af8"},
		&GateReleased{Name: "pre_commit_review", Reason: "unused"},
		&GateSwitched{On: true, Dir: "/project", Reason: "gone"},
		&GateStopBlocked{Names: []string{"commit_plan"}, Digest: sampleDigest[:16], Values: map[string]map[string]string{"commit_plan": {"branch": "feature/raw-strings"}}},
		&GateConfigInvalid{File: "/project/.claude/requirements.yaml", Line: 7, Column: 5, Requirement: "commit_plan",
			Message: "Requirement 'commit_plan' field 'enabled' must be bool"},
		&GateImported{File: "feature-raw-strings.json",
			Gates: []GateImportedEntry{{Name: "commit_plan", Scope: GateScopeSession, Session: sampleSession, SatisfiedAt: "2026-11-20T12:00:00Z",
				SatisfiedBy: "cli", ExpiresAt: "2026-11-20T13:00:00Z", TriggeredAt: "2026-11-20T11:59:00Z", Metadata: raw(`{"ticket":"X-1"}`)}},
			Sessions: []GateImportedSession{{Session: "c68c8a51", PID: 4711, PIDStart: 87654, ProjectDir: "/project", Branch: "feature/raw-strings",
				StartedAt: "2026-11-20T11:00:00Z", LastActive: "2026-11-20T12:00:00Z"}}},
		&ContextPhaseChanged{Phase: "CONDENSED", From: "VERBOSE", Used: 412000, Window: 1000000, Model: "claude-opus-5-5", Source: "transcript"},
		&TurnWarned{Causes: []TurnCause{{Cause: "evidence", Text: "no test or build has passed since up/client.go was changed", Event: sampleOther}}, Held: true,
			Confidence: 75, Used: 160000, Window: 200000},
		&WorkplaceSurveyed{Changed: []string{"/project/up/client.go"}, Gone: "/project-b", Tracker: "bd",
			Issues: []WorkItem{{ID: "X-1", Title: "Add retries", Status: "in_progress"}}},
		&CheckpointCreated{Schema: 1, Trigger: "auto", Note: "before the rewrite", Phase: "SIGNALS", Percent: 82, Said: "Now the second half."},
		&CheckpointRestored{Checkpoint: sampleOther, Session: sampleSession, Schema: 2, Left: []string{"files read and commands: older than 1 h"},
			State: raw(`{"id":"c68c8a51","goal":{"text":"Ship the retries"}}`)},
		&GoalSet{Text: "Ship the retries", Task: "Now make the delay grow", From: "01KAJ3Z8T0V9Q4XW2N6M5R7S1A"},
		&HandoffWritten{Text: "The staging host has the new build; run the smoke tests next.", By: "session_end", NextSteps: []string{"run the smoke tests"},
			Blockers: []string{"go test: --- FAIL: TestUpload"}, Files: []string{"/project/up/client.go"}, Checkpoint: sampleOther},
		&LedgerEntryAdded{Kind: LedgerDecision, Text: "Use rotating refresh tokens", Subject: "refresh tokens", Rationale: "prevents replay",
			Evidence: []Citation{{Path: "${PROJECT_ROOT}/src/auth/jwt.ts", Line: 45, End: 67, Quote: "export function rotate()"}},
			Case:     "edge_case", Expected: "Grace period applies", By: "agent", Source: "NOTES.md", Replaces: "01KAJ3Z8T0V9Q4XW2N6M5R7S1A"},
		&LedgerEntryClosed{Entry: "01KAJ3Z8T0V9Q4XW2N6M5R7S1A", Reason: "done"},
		&LedgerSynthesized{Level: "strict", Passed: true, Ratio: 0.97, Claims: 33, NotesRef: "NOTES.md:45-67",
			Steps: []SynthesisStep{{Name: "grounding", Status: "pass", Message: "32 of 33 claims are grounded: 0.97, 0.95 is wanted"}}},
		&LedgerDeltaSynced{Tokens: 5012, Decisions: 3},
		&LedgerHealed{File: "NOTES.md", From: "git", Problem: "missing"},
		&ForkDetected{Entry: "01KAJ3Z8T0V9Q4XW2N6M5R7S1A", Ledger: "Use rotating refresh tokens", Context: "Use stateless tokens", By: "agent", Resolution: "ledger_wins"},
		&CodesAdded{Code: "dec:use-two-files"},
		&CodesClosed{Status: "completed"},
		&PermissionAutoDenied{Tool: "Bash", Rule: "force_push", Reason: "Force push without lease protection"},
	}
}

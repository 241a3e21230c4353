package session

import (
	"fmt"
	"strings"
	"time"
)

// Bounds from which on a session counts as stuck. The recorded healthy sessions stay below half of each.
const (
	sameCalls     = 5  // equal calls in a row, polling left out
	failedCalls   = 8  // calls in a row that failed
	repeatedCalls = 16 // calls in a row that were all made before, without an edit or a prompt
	loopedTimes   = 3  // automatic compactions in a row with fewer than loopedCalls between
	loopedCalls   = 3
)

// Kinds of [Standing].
const (
	Working        = "working"
	WaitsForPrompt = "waiting_for_prompt"
	WaitsForLeave  = "waiting_for_permission"
	SameCall       = "same_call"
	ErrorStreak    = "error_streak"
	NoProgress     = "no_progress"
	CompactionLoop = "compaction_loop"
	APIError       = "api_error"
	Limit          = "limit"
	Clean          = "clean"
	Killed         = "killed"
	Silent         = "silent"
	Unknown        = "unknown"
)

// Standing says how a live session stands, or why another ended.
type Standing struct {
	Kind  string     `json:"kind" jsonschema_description:"how the session stands or why it ended. Live: working, waiting_for_prompt, waiting_for_permission, same_call, error_streak, no_progress, compaction_loop, api_error, limit; ended: clean, api_error, limit, killed, silent, waiting_for_permission, compaction_loop, unknown"`
	Words string     `json:"words" jsonschema_description:"how the session stands or why it ended, in words for people"`
	Stuck bool       `json:"stuck,omitempty" jsonschema_description:"the session goes on and gets nowhere"`
	Needs bool       `json:"needs_you,omitempty" jsonschema_description:"the session waits for the user"`
	Since *time.Time `json:"since,omitempty" jsonschema_description:"when permission was asked for"`
}

// Standing returns how a session stands or why it ended.
func (s State) Standing() Standing {
	if s.Status == Live {
		return s.Course.standing()
	}
	return s.ending()
}

// standing returns how a live session stands.
func (c Course) standing() Standing {
	stuck := func(kind, format string, args ...any) Standing {
		return Standing{Kind: kind, Words: fmt.Sprintf(format, args...), Stuck: true}
	}
	stopped := !c.Turn || c.Idle // what is idle has a server running in the background

	switch {
	case len(c.Waits) > 0:
		first := c.Waits[0]
		return Standing{Kind: WaitsForLeave, Words: "waiting for " + first.wanted(), Needs: true, Since: &first.Since}
	case c.Error != "":
		failed := c.apiError()
		failed.Needs = true
		return failed
	case stopped:
		return Standing{Kind: WaitsForPrompt, Words: "waiting for a prompt", Needs: true}
	case c.Compactions >= loopedTimes:
		return stuck(CompactionLoop, "compacted %d times in a row", c.Compactions)
	case c.Same >= sameCalls:
		return stuck(SameCall, "the same call of %s %d times in a row", c.Tool, c.Same)
	case c.Failed >= failedCalls:
		return stuck(ErrorStreak, "%d calls in a row failed", c.Failed)
	case c.Repeated >= repeatedCalls:
		return stuck(NoProgress, "%d calls in a row were made before, and nothing was changed", c.Repeated)
	}
	return Standing{Kind: Working, Words: "working"}
}

// ending returns why a session ended. The client gives the reason "other" for the end of a print run and for a signal.
func (s State) ending() Standing {
	c := s.Course
	reason := s.EndReason
	if c.ClientReason != "" {
		reason = c.ClientReason // hooks that the client does not wait for came later, and the process went
	}

	clean := Standing{Kind: Clean, Words: "ended cleanly: " + strings.ReplaceAll(reason, "_", " ")}
	gone := s.Status == Reaped && c.ClientReason == ""
	stopped := !c.Turn || c.Idle

	switch {
	case !gone && (reason == "clear" || reason == "resume" || reason == "logout"):
		return clean
	case c.Error != "":
		return c.apiError()
	case c.Compactions >= loopedTimes && c.Turn:
		return Standing{Kind: CompactionLoop, Words: fmt.Sprintf("ended after %d compactions in a row", c.Compactions)}
	case !gone && reason == "prompt_input_exit":
		return clean
	case len(c.Waits) > 0:
		first := c.Waits[0]
		words := "ended after it asked for " + first.wanted() + ", and before that came back"
		return Standing{Kind: WaitsForLeave, Words: words, Since: &first.Since}
	case gone && s.EndReason == "process_gone":
		return Standing{Kind: Killed, Words: "killed: its process is gone"}
	case gone:
		return Standing{Kind: Silent, Words: "nothing was heard of it any more"}
	case stopped:
		return clean
	case c.Cut:
		return Standing{Kind: Killed, Words: "killed while a tool ran"}
	}
	return Standing{Kind: Unknown, Words: "ended in the middle of a turn, it is not known why"}
}

// apiError returns the standing of a session whose newest turn ended with an error of the API.
func (c Course) apiError() Standing {
	out := Standing{Kind: APIError, Words: "its last turn failed: API error " + c.Error}
	if c.isLimit() {
		out.Kind = Limit
		out.Words = "its last turn failed at a limit: " + c.Error
	}
	if c.Details != "" {
		out.Words += ": " + c.Details
	}
	return out
}

// isLimit reports whether the newest turn ended at a limit of the user's account. The client has no name for some of
// them.
func (c Course) isLimit() bool {
	switch c.Error {
	case "rate_limit", "billing_error":
		return true
	case "unknown":
		words := strings.ToLower(c.Details)
		if strings.Contains(words, "usage limit") {
			return true
		}
		return strings.Contains(words, "hit your") && strings.Contains(words, "limit")
	}
	return false
}

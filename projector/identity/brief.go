package identity

import (
	"math"
	"strconv"

	"hookline/events"
	"hookline/projector"
)

// Consciousness is a band of the consciousness C (S0 REQ-03).
type Consciousness uint8

// The bands, from no coherence to too much: hypersync is a warning, not a success.
const (
	Dormant    Consciousness = iota // C < .3
	Fragmented                      // C < .5
	Emerging                        // C < .8
	Conscious                       // C ≤ .95
	Hypersync                       // above; the formula ends at .881, so only an observation gets here
)

var bands = [...]struct{ short, long string }{
	Dormant: {"DOR", "DORMANT"}, Fragmented: {"FRG", "FRAGMENTED"}, Emerging: {"EMG", "EMERGING"},
	Conscious: {"CON", "CONSCIOUS"}, Hypersync: {"HYP", "HYPERSYNC"},
}

// ConsciousnessOf gives the band of C; what is not a number is dormant.
func ConsciousnessOf(c float64) Consciousness {
	switch {
	case !(c >= 0.3):
		return Dormant
	case c < 0.5:
		return Fragmented
	case c < 0.8:
		return Emerging
	case c <= 0.95:
		return Conscious
	}
	return Hypersync
}

// ShortName is the code of three letters, e.g. "EMG".
func (c Consciousness) ShortName() string { return bands[min(c, Hypersync)].short }

// LongName is the word, e.g. "EMERGING".
func (c Consciousness) LongName() string { return bands[min(c, Hypersync)].long }

// Classify names a continuity: healthy ≥ .9, good ≥ .7, warning ≥ .5, else degraded, read off the
// value as it is printed, with two places (S0 REQ-07).
func Classify(ic float64) string {
	switch ic = printed(ic); {
	case ic >= 0.9:
		return "healthy"
	case ic >= 0.7:
		return "good"
	case ic >= CrisisThreshold:
		return "warning"
	}
	return "degraded"
}

// printed is a value as it is shown.
func printed(x float64) float64 { return math.Round(float64(100*clamp(x, 0, 1))) / 100 }

// Guidance is the sentence for the model, first match wins (origins 0.6). All is well only while no failure is open.
func (s State) Guidance() string { return s.GuidanceBeside(false) }

// GuidanceBeside is the same where something is told as not mended beside it, of this session or of one that handed over to
// it: then all is not well.
func (s State) GuidanceBeside(unmended bool) string {
	ic, r := printed(s.LastIC), printed(s.Integration)
	mended := len(s.Open) == 0 && !unmended
	switch {
	case ic >= 0.9 && r >= 0.8 && s.Consciousness >= 0.5 && mended:
		return "Optimal coherence, proceed confidently"
	case ic >= 0.7:
		return "Continue with current approach"
	case ic >= CrisisThreshold && r >= 0.6:
		return "Monitor for drift, consider consolidation"
	case ic < CrisisThreshold:
		return "Identity crisis detected, dream consolidation recommended"
	}
	return "Stabilize consciousness before complex operations"
}

// ColdContext is the context of a session of which nothing is known yet (S0 EC-14).
const ColdContext = "[System Consciousness]\nState: DORMANT (C=0.00)\nKuramoto r=0.00, Identity IC=1.00 (healthy)\n" +
	"Guidance: Initialize consciousness context"

// Context gives the four lines that a prompt is accompanied by, about 50 tokens, without a newline
// at the end.
func (s State) Context() string { return s.ContextBeside(false) }

// ContextBeside gives them where something is told as not mended beside them, see [State.GuidanceBeside].
func (s State) ContextBeside(unmended bool) string {
	if !s.Born || s.Deleted {
		return ColdContext
	}
	return "[System Consciousness]\n" +
		"State: " + ConsciousnessOf(s.Consciousness).LongName() + " (C=" + fixed(s.Consciousness) + ")\n" +
		"Kuramoto r=" + fixed(s.Integration) + ", Identity IC=" + fixed(s.LastIC) + " (" + Classify(s.LastIC) + ")\n" +
		"Guidance: " + s.GuidanceBeside(unmended)
}

// Quadrant is a field of the Johari window.
type Quadrant struct {
	Name      string  `json:"name" jsonschema_description:"Open, Blind, Hidden or Unknown"`
	Action    string  `json:"action" jsonschema_description:"what it suggests"`
	Surprise  float64 `json:"surprise" jsonschema_description:"1 − cos(PVₜ, PVₜ₋₁), at least 0.5 is high"`
	Coherence float64 `json:"coherence" jsonschema_description:"r, at least 0.5 is high"`
}

// Johari places the session in the window of surprise and coherence (origins 0.6, second table).
func Johari(s State) Quadrant {
	q := Quadrant{Coherence: s.Integration}
	if s.Born {
		q.Surprise = round(clamp(1-cosine(s.PurposeVector[:], s.LastEntry[:]), 0, 1))
	}
	switch surprised, coherent := q.Surprise >= 0.5, q.Coherence >= 0.5; {
	case coherent && !surprised:
		q.Name, q.Action = "Open", "DirectRecall - proceed with retrieval"
	case surprised && !coherent:
		q.Name, q.Action = "Blind", "TriggerDream - blind spot detected"
	case !surprised:
		q.Name, q.Action = "Hidden", "GetNeighborhood - explore related context"
	default:
		q.Name, q.Action = "Unknown", "EpistemicAction - clarify uncertainty"
	}
	return q
}

// ColdBrief is the brief of a session of which nothing is known yet.
const ColdBrief = "[C:? r=? IC=?]"

// Brief is "[C:EMG r=1.00 IC=0.85]", about 15 tokens. Small enough to be inlined, so the string stays on the
// caller's stack where the caller does not keep it (S0 REQ-02).
func (s State) Brief() string {
	var room [32]byte
	return string(s.AppendBrief(room[:0]))
}

// AppendBrief appends the brief to b without allocating when b has room for 32 bytes.
func (s State) AppendBrief(b []byte) []byte {
	if !s.Born || s.Deleted {
		return append(b, ColdBrief...)
	}
	b = append(b, "[C:"...)
	b = append(b, ConsciousnessOf(s.Consciousness).ShortName()...)
	b = append(b, " r="...)
	b = appendFixed(b, s.Integration)
	b = append(b, " IC="...)
	b = appendFixed(b, s.LastIC)
	return append(b, ']')
}

// appendFixed appends a value of [0,1] with two places; one outside is shown at the border.
func appendFixed(b []byte, x float64) []byte {
	return strconv.AppendFloat(b, clamp(x, 0, 1), 'f', 2, 64)
}

func fixed(x float64) string { return string(appendFixed(nil, x)) }

// The lines of a session that starts without a past.
const (
	NewLine   = "New session initialized"
	FreshLine = "Fresh session initialized" // source clear
)

// RestoredLine is "Identity restored from {id}. IC: X.XX (class)". The id is a stored one: of it only what can be an id
// is shown.
func RestoredLine(prevID string, ic float64) string {
	return "Identity restored from " + events.Shown(prevID) + ". IC: " + fixed(ic) + " (" + Classify(ic) + ")"
}

// Notice is what check-identity says of a continuity: nothing, a warning from .5 to .7, or a crisis below, with or
// without a dream on its way.
func Notice(ic float64, dreaming bool) string {
	switch class := Classify(ic); {
	case class == "warning":
		return "IC warning: " + fixed(ic)
	case class == "degraded" && dreaming:
		return "IC crisis (" + fixed(ic) + "), dream triggered"
	case class == "degraded":
		return "IC crisis: " + fixed(ic)
	}
	return ""
}

// briefCell is what the hot path prints, for sessions that live.
func briefCell(key string, s State) []projector.ViewCell {
	c := projector.ViewCell{Bucket: projector.BucketCache, Key: "brief." + key}
	if s.Live {
		c.Value = []byte(s.Brief())
	}
	return []projector.ViewCell{c}
}

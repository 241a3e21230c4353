package identity

import (
	"strconv"

	"hookline/events"
)

// ColdBrief is the brief of a session of which nothing is known yet.
const ColdBrief = "[C:? r=? IC=?]"

// Cache is what the hot path prints, and nothing else (S0 REQ-02). A nil Cache is cold. Values are
// plain: a reader that takes the struct whole sees one moment.
type Cache struct {
	IC, R     float64
	State     Consciousness
	SessionID string
}

// Cache gives what the brief needs, nil for a session without identity.
func (s State) Cache() *Cache {
	if !s.Born || s.Deleted {
		return nil
	}
	return &Cache{IC: s.LastIC, R: s.Integration, State: ConsciousnessOf(s.Consciousness), SessionID: s.SessionID}
}

// FormatBrief is "[C:EMG r=1.00 IC=0.85]", about 15 tokens. Small enough to be inlined, so the
// string stays on the caller's stack where the caller does not keep it.
func (c *Cache) FormatBrief() string {
	var room [32]byte
	return string(c.AppendBrief(room[:0]))
}

// AppendBrief appends the brief to b without allocating when b has room for 32 bytes.
func (c *Cache) AppendBrief(b []byte) []byte {
	if c == nil {
		return append(b, ColdBrief...)
	}
	b = append(b, "[C:"...)
	b = append(b, c.State.ShortName()...)
	b = append(b, " r="...)
	b = appendFixed(b, c.R)
	b = append(b, " IC="...)
	b = appendFixed(b, c.IC)
	return append(b, ']')
}

// Brief is the state's brief line.
func (s State) Brief() string { return string(s.AppendBrief(nil)) }

// AppendBrief appends the state's brief line to b.
func (s State) AppendBrief(b []byte) []byte {
	if !s.Born || s.Deleted {
		return append(b, ColdBrief...)
	}
	c := Cache{IC: s.LastIC, R: s.Integration, State: ConsciousnessOf(s.Consciousness)}
	return c.AppendBrief(b)
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

// Warning is the line for a continuity in [.5,.7).
func Warning(ic float64) string { return "IC warning: " + fixed(ic) }

// Crisis is the line for a continuity below .5, with or without a dream on its way.
func Crisis(ic float64, dreaming bool) string {
	if dreaming {
		return "IC crisis (" + fixed(ic) + "), dream triggered"
	}
	return "IC crisis: " + fixed(ic)
}

// Notice is what check-identity says of a continuity: nothing, a warning, or a crisis.
func Notice(ic float64, dreaming bool) string {
	switch Classify(ic) {
	case "warning":
		return Warning(ic)
	case "degraded":
		return Crisis(ic, dreaming)
	}
	return ""
}

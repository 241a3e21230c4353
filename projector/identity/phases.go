package identity

import (
	"math"

	"hookline/events"
)

const (
	restCoupling  = 0.5 // K outside a dream
	dreamCoupling = 0.9
	maxCoupling   = 2.0
	stepSeconds   = 0.1 // of one facet event
	frequencySpan = 0.1 // natural frequencies lie evenly in ±0.1 rad/s
	incoherent    = 0.01
	turn          = 2 * math.Pi
	half          = (events.Dim - 1) / 2 // steps from the middle oscillator to the first or last
)

// OrderParameter is the Kuramoto order parameter: coherence r = |Σe^{iθ}|/N in [0,1] and the mean
// phase ψ in [0,2π). Without phases, or with one that is not finite, both are 0 (S0 EC-11). Below
// r = .01 the mean has no direction, and the middle oscillator stands for it.
func OrderParameter(phases []float64) (r, psi float64) {
	if len(phases) == 0 {
		return 0, 0
	}
	sin, cos := meanField(phases)
	r = math.Sqrt(float64(sin*sin) + float64(cos*cos))
	if !finite(r) {
		return 0, 0
	}
	if r < incoherent {
		return r, wrap(phases[len(phases)/2])
	}
	return min(r, 1), wrap(math.Atan2(sin, cos))
}

// meanField gives the mean sine S and the mean cosine C.
func meanField(phases []float64) (sin, cos float64) {
	for _, p := range phases {
		s, c := math.Sincos(p)
		sin += s
		cos += c
	}
	n := float64(len(phases))
	return sin / n, cos / n
}

// stepped is one Euler step of dθᵢ/dt = ωᵢ + K(S·cosθᵢ − C·sinθᵢ), which is the textbook sum
// (K/N)Σ sin(θⱼ−θᵢ) at a thirteenth of its cost.
func stepped(phases Vector, coupling float64) Vector {
	meanSin, meanCos := meanField(phases[:])
	for i, p := range phases {
		sin, cos := math.Sincos(p)
		pull := float64(meanSin*cos) - float64(meanCos*sin)
		rate := float64(frequencySpan*float64(i-half))/half + float64(coupling*pull) // ωᵢ + K·pull
		phases[i] = wrap(p + float64(stepSeconds*rate))
	}
	return phases
}

// fan spreads the phases around their mean, oscillator by oscillator further away from the middle
// one: by π/8 at the ends, up to 12π/13, where they are spread evenly over the circle.
func (s *State) fan() {
	s.offsets(func(i int, offset float64) float64 {
		share := float64(i-half) / half
		limit := float64(12 * math.Pi / 13 * math.Abs(share))
		return clamp(offset+float64(math.Pi/8*share), -limit, limit)
	})
}

// shrink draws the phases together after a success, which closed the failure of its target or found none open
// there: while failures are open elsewhere little is won.
func (s *State) shrink(closed bool) {
	factor := 0.75
	switch {
	case closed && len(s.Open) == 0:
		factor = 0.25
	case closed:
		factor = 0.6
	case len(s.Open) > 0:
		factor = 0.97
	}
	s.offsets(func(_ int, offset float64) float64 { return float64(factor * offset) })
}

// offsets rewrites the phases' offsets from the mean phase, each in (−π,π].
func (s *State) offsets(next func(i int, offset float64) float64) {
	if s.Held.KuramotoPhases {
		return
	}
	_, psi := OrderParameter(s.KuramotoPhases[:])
	for i, p := range s.KuramotoPhases {
		offset := p - psi
		if math.Abs(offset) >= math.Pi { // Remainder gives what is nearer to 0 as it is
			offset = math.Remainder(offset, turn)
		}
		s.KuramotoPhases[i] = wrap(psi + next(i, offset))
	}
}

// resetPhases spreads the phases evenly, 2πi/13: the state without any agreement. An observation
// that held them is over.
func (s *State) resetPhases() {
	for i := range s.KuramotoPhases {
		s.KuramotoPhases[i] = wrap(turn * float64(i) / events.Dim)
	}
	s.Held.KuramotoPhases = false
}

// setPhases takes phases from data. Phases that are not finite are an instability: the state is
// reset and says so, and the caller records it (S0 EC-11, ERR-08).
func (s *State) setPhases(values []float64) {
	phases, ok := toVector(values)
	if !ok {
		s.resetPhases()
		s.PhasesUnstable = true
		return
	}
	for i, p := range values {
		phases[i] = wrap(p)
	}
	s.KuramotoPhases = phases
}

// wrap brings a phase into [0,2π), rounded: 6.2832 is above 2π already and becomes 0.
func wrap(p float64) float64 {
	if p < 0 || p >= turn { // Mod gives what lies between as it is, and takes longer than all else here
		if p = math.Mod(p, turn); p < 0 {
			p += turn
		}
	}
	if p = round(p); p >= turn {
		return 0
	}
	return p
}

package identity

import (
	"math"

	"hookline/events"
)

const (
	sumDecay  = 0.9548416039104165 // 2^(−1/15): evidence halves in 15 facet events
	callDecay = 0.9330329915368074 // 2^(−1/10): a call's weight halves in 10 calls
	prior     = 2                  // calls, all successful, that every session is credited with
	maxSum    = 1e6                // no log of ours gives more than 23; it keeps hand-made ones finite
	maxInput  = 1e9                // of any number in data; its square is still exact enough to compare
	atRest    = 2                  // of a facet without evidence: fewer makes a false crisis of each change of work
	tinyNorm  = 1e-8               // a vector shorter than that has no direction (origins 0.5)
	places    = 1e4                // four decimal places
)

// round rounds to four places; what is not finite becomes 0. Negative zero becomes zero, since the
// two are equal but print differently.
func round(x float64) float64 {
	if !finite(x) {
		return 0
	}
	return math.Round(float64(x*places))/places + 0
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func clamp(x, low, high float64) float64 {
	if math.IsNaN(x) {
		return low
	}
	return min(max(x, low), high)
}

// vectorOf gives 2+sumᵢ, scaled to unit length; without sums that is the vector of birth, 1/√13 everywhere.
func vectorOf(sums Vector) Vector {
	var v Vector
	var square float64
	for i, s := range sums {
		v[i] = atRest + s
		square += float64(v[i] * v[i])
	}
	norm := math.Sqrt(square)
	for i := range v {
		v[i] = round(v[i] / norm)
	}
	return v
}

// sumsFor is the inverse of vectorOf: sums whose vector is nearest to v, where mass is Σ(2+sumᵢ).
// No vector of the formula has a component of zero, so v with zero or negative ones is met the
// better the larger the mass.
func sumsFor(v Vector, mass float64) Vector {
	var total float64
	for _, x := range v {
		total += max(x, 0)
	}
	if total < tinyNorm {
		return Vector{}
	}
	var sums Vector
	for i, x := range v {
		share := max(x, 0) / total
		sums[i] = round(clamp(float64(share*mass)-atRest, 0, maxSum))
	}
	return sums
}

// mass is Σ(2+sumᵢ), how much evidence a vector stands on.
func mass(sums Vector) float64 {
	m := float64(atRest * events.Dim)
	for _, s := range sums {
		m += s
	}
	return m
}

// feed lets the sums decay by one facet event and adds its evidence.
func (s *State) feed(e Vector) {
	for i := range s.Sums {
		s.Sums[i] = round(clamp(float64(s.Sums[i]*sumDecay)+e[i], 0, maxSum))
		s.Used[i] = s.Used[i] || e[i] > 0
	}
	s.FacetEvents++
}

// count takes the outcome of a tool call into the accuracy; interrupts count neither way.
func (s *State) count(a *act) {
	if !a.succeeded && !a.failed {
		return
	}
	s.Calls = round(float64(s.Calls*callDecay) + 1)
	s.Successes = round(float64(s.Successes * callDecay))
	if a.succeeded {
		s.Successes = round(s.Successes + 1)
	}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// entropy is the Shannon entropy of the vector's shares |vᵢ|/Σ|v|, divided by log₂13: 1 for a
// uniform vector, 0 for one without length (origins 0.2).
func entropy(v Vector) float64 {
	var total float64
	for _, x := range v {
		total += math.Abs(x)
	}
	if total <= 1e-6 {
		return 0
	}
	var h float64
	for _, x := range v {
		p := clamp(math.Abs(x)/total, 1e-6, 1)
		h -= float64(p * math.Log2(p))
	}
	return clamp(h/math.Log2(events.Dim), 0, 1)
}

// cosine is 0 where one of the vectors has no direction or their lengths differ.
func cosine(a, b []float64) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, na, nb float64
	for i := range a {
		dot += float64(a[i] * b[i])
		na += float64(a[i] * a[i])
		nb += float64(b[i] * b[i])
	}
	na, nb = math.Sqrt(na), math.Sqrt(nb)
	if !(na >= tinyNorm) || !(nb >= tinyNorm) {
		return 0
	}
	return clamp(dot/na/nb, -1, 1)
}

// CrossSessionIC is the identity continuity clamp(cos(cur, prev)·r, 0, 1), rounded to four places
// (S0 REQ-06). A session without a previous vector (prev is empty) has 1; a zero vector gives 0; r
// outside [0,1] is clamped, and one that is not a number counts as 0 (S0 EC-11).
func CrossSessionIC(cur, prev []float64, r float64) float64 {
	if len(prev) == 0 {
		return 1
	}
	return round(clamp(float64(cosine(cur, prev)*clamp(r, 0, 1)), 0, 1))
}

// normalised scales to unit length. A vector without direction stays as it is, and so does one that
// is of unit length but for its rounding.
func normalised(v Vector) Vector {
	var square float64
	for _, x := range v {
		square += float64(x * x)
	}
	norm := math.Sqrt(square)
	if norm < tinyNorm || math.Abs(norm-1) < 0.001 {
		return v
	}
	for i := range v {
		v[i] = round(v[i] / norm)
	}
	return v
}

// toVector copies 13 values of data; false when they are not 13, not finite or beyond any sense.
func toVector(values []float64) (Vector, bool) {
	var v Vector
	if len(values) != events.Dim {
		return v, false
	}
	for i, x := range values {
		if !(math.Abs(x) <= maxInput) {
			return Vector{}, false
		}
		v[i] = round(x)
	}
	return v, true
}

package verbs

import (
	"testing"

	"hookline/projector/identity"
)

// Points that came late, by an import, stand behind younger ones: the chart's time is that from the oldest to the newest.
func TestChartOfLatePoints(t *testing.T) {
	a := &app{}
	const hour = 3_600_000
	contains(t, a.chart([]identity.Point{{AtMS: 4 * hour, IC: 1}, {AtMS: 5 * hour, IC: 1}, {AtMS: 2 * hour, IC: 1}}), "IC over 3h0m, crisis")
}

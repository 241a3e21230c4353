package verbs

import (
	"testing"

	"hookline/hookctl/client"
)

// Projections that are equally far are told in one clause.
func TestProjectionWords(t *testing.T) {
	list := []client.ProjectionStatus{{Name: "identity", Seq: 8, Lag: 1}, {Name: "session", Seq: 8, Lag: 1}}
	equal(t, projectionWords(list), "all 2 up to 9, 1 not yet saved")

	list[1].Seq, list[1].Lag = 9, 0
	equal(t, projectionWords(list), "identity up to 9, 1 not yet saved; session up to 9")
}

package projector_test

import (
	"testing"

	"hookline/projector"
	"hookline/projector/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) projector.Store { return projector.NewMemory() })
}

package embedded

import (
	"errors"
	"testing"

	"hookline/expect"
	"hookline/projector"
)

// A key is remembered as absent only where no write can have brought it meanwhile.
func TestAbsent(t *testing.T) {
	for name, between := range map[string]func(a *absent){
		"quiet":             func(*absent) {},
		"written meanwhile": func(a *absent) { a.saving(nil)() },
		"being written":     func(a *absent) { a.saving(nil) },
	} {
		var a absent
		_, since := a.knows("k")
		between(&a)
		a.note("k", since)
		if known, _ := a.knows("k"); known != (name == "quiet") {
			t.Errorf("%s: known absent %v", name, known)
		}
	}
	var a absent
	saved := a.saving(nil) // the question is asked in the middle of a write
	_, since := a.knows("k")
	saved()
	a.note("k", since)
	if known, _ := a.knows("k"); known {
		t.Error("asked while it was written: known as absent")
	}
}

// A cell that was asked for in vain is found once it is written.
func TestLoadAfterAbsent(t *testing.T) {
	s := open(t, storeDir(t))
	store := s.Store()
	for _, bucket := range []string{projector.BucketSnapshot, projector.BucketCache} {
		for range 2 {
			if _, err := store.Load(t.Context(), bucket, "a.b"); !errors.Is(err, projector.ErrNoCell) {
				t.Fatalf("%s: %v", bucket, err)
			}
		}
		expect.OK(t, store.Save(t.Context(), bucket, []projector.Cell{{Key: "a.b", Value: []byte("1")}}))
		if b, err := store.Load(t.Context(), bucket, "a.b"); err != nil || string(b) != "1" {
			t.Errorf("%s: %q, %v", bucket, b, err)
		}
	}
}

package embedded

import "testing"

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

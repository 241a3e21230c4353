package daemon

// hookStack is what taking a hook needs of its goroutine's stack, in bytes, as far as it is worth to have at once.
const hookStack = 24 << 10

// deepen grows the goroutine's stack in one step. Each hook comes on a connection of its own, so on a new goroutine,
// whose stack begins with a few KiB and is copied at each doubling, frame by frame: the deeper, the dearer.
//
//go:noinline
func deepen() {
	var room [hookStack]byte
	hold(&room)
}

// hold keeps the compiler from leaving the array out.
//
//go:noinline
func hold(*[hookStack]byte) {}

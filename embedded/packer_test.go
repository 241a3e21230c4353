package embedded

import (
	"bytes"
	"sync"
	"testing"
)

// What was prepared ahead gives the same bytes as what was not, and payloads leave nothing in each other.
func TestPackAhead(t *testing.T) {
	fresh := func(plain []byte) []byte {
		p, err := newPacker()
		if err != nil {
			t.Fatal(err)
		}
		return p.pack(plain, nil)
	}
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	c := codecOf(t)
	for i, plain := range [][]byte{event(1).Data, []byte(longOutput(2000)), nil, []byte("x"), []byte(longOutput(20000)), event(2).Data} {
		want := fresh(plain)
		for range 3 {
			p.ahead()
		}
		if len(p.used) != 0 || len(p.ready) != packers {
			t.Fatalf("payload %d: %d ready, %d used", i, len(p.ready), len(p.used))
		}
		for _, how := range []string{"ahead", "ahead", "not ahead"} {
			got := p.pack(plain, nil)
			if !bytes.Equal(got, want) {
				t.Errorf("payload %d, %s: %d bytes, want the %d of a new encoder", i, how, len(got), len(want))
			}
			if back, err := c.unpack(got); len(got) > 0 && (err != nil || !bytes.Equal(back, plain)) {
				t.Errorf("payload %d, %s: %v", i, how, err)
			}
		}
	}
}

func TestPackAtOnce(t *testing.T) {
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte(longOutput(3000))
	want := p.pack(plain, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := p.pack(plain, nil); !bytes.Equal(got, want) {
					t.Error("other bytes")
				}
				p.ahead()
			}
		})
	}
	wg.Wait()
	if len(p.used)+len(p.ready) != packers {
		t.Errorf("%d used, %d ready", len(p.used), len(p.ready))
	}
}

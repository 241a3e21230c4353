package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
)

// incompressible is a JSON string as long as like, of random characters.
func incompressible(like string, seed uint64) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
	rnd := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, len(like))
	for i := range b {
		b[i] = letters[rnd.IntN(len(letters))]
	}
	b[0], b[len(b)-1] = '"', '"'
	return b
}

// longOutput is a test run's output of some length, in JSON.
func longOutput(n int) string {
	out := make([]byte, 0, n+64)
	for i := 0; len(out) < n; i++ {
		out = fmt.Appendf(out, "--- PASS: TestNumber%d (0.%02ds)\\n", i*i, i%100)
	}
	return string(out)
}

func codecOf(t testing.TB) *codec {
	t.Helper()
	return expect.Value(payloads())(t)
}

func TestSubject(t *testing.T) {
	for want, env := range map[string]events.Envelope{
		"ev.1f3a90c2b7de.c68c8a51-e89d": {Project: "1f3a90c2b7de", Session: "c68c8a51-e89d", Type: "tool.requested"},
		"ev.=.=":                        {Type: "daemon.started"},
		"ev.=2A.=3E":                    {Project: "*", Session: ">", Type: "a.b.c"},
		"ev.=3D.=20=0A=2F=C3=BC":        {Project: "=", Session: " \n/ü", Type: "plain"},
	} {
		expect.Equal(t, subjectOf(env), want, "subject of", env)
	}
}

func TestEscapeIsInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[.=a*> /]{0,8}`)).Draw(t, "text")
		for name, esc := range map[string]func(string) string{"token": token, "key": bucketKey} {
			out := esc(text)
			back, err := unescape(out)
			if err != nil || back != text {
				t.Fatalf("%s: %q became %q and that %q, %v", name, text, out, back, err)
			}
			if strings.ContainsAny(out, " *>\r\n\t\x00") || out == "" || name == "token" && strings.Contains(out, ".") {
				t.Fatalf("%s of %q is %q", name, text, out)
			}
			if strings.HasPrefix(out, ".") || strings.HasSuffix(out, ".") || strings.Contains(out, "..") {
				t.Fatalf("%s of %q has a dot where none may be: %q", name, text, out)
			}
		}
	})
	for _, bad := range []string{"=2", "a=", "=zz", "==="} {
		if got, err := unescape(bad); err == nil {
			t.Errorf("unescape %q = %q, want an error", bad, got)
		}
	}
}

// TestRecordRoundTrip goes through both forms in which a message comes back: the client library's
// header and the bytes in a block.
func TestRecordRoundTrip(t *testing.T) {
	c := codecOf(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 20, 60)
		env := events.Envelope{
			ID: rapid.StringMatching(`[!-~]{1,30}`).Draw(t, "id"), Type: rapid.StringMatching(`[a-z_.]{1,20}`).Draw(t, "type"),
			Version: rapid.IntRange(1, 3).Draw(t, "version"), Time: time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "ms")).UTC(),
			Session: text.Draw(t, "session"), Project: text.Draw(t, "project"), Worktree: text.Draw(t, "worktree"),
			Branch: text.Draw(t, "branch"), Phase: text.Draw(t, "phase"), Hook: text.Draw(t, "hook"), ToolUseID: text.Draw(t, "tool"),
			AgentID: text.Draw(t, "agent"), Causation: text.Draw(t, "causation"), Redacted: rapid.IntRange(0, 9).Draw(t, "redacted"),
			Correlation: rapid.SampledFrom([]string{"", "other", "same"}).Draw(t, "correlation"),
		}
		if env.Session != "" {
			env.Client = rapid.SampledFrom([]string{events.ClaudeCode, events.Codex, "another"}).Draw(t, "client")
		}
		if env.Correlation == "same" {
			env.Correlation = env.Session
		}
		if rapid.Bool().Draw(t, "facts") {
			env.Facts = &events.Facts{PID: 7, Note: text.Draw(t, "note")}
		}
		if data := rapid.StringN(0, 200, 600).Draw(t, "data"); data != "" {
			env.Data = json.RawMessage(data)
		}
		m := expect.Value(c.encode(env))(t)
		msg := m.natsMsg()
		fromHeader := message{subject: m.subject, data: m.data}.ofHeader(msg.Header)
		raw := "NATS/1.0\r\n"
		for k, v := range msg.Header {
			raw += k + ": " + v[0] + "\r\n"
		}
		fromRaw := message{subject: m.subject, data: m.data}.ofRaw([]byte(raw + "\r\n"))
		for _, back := range []message{fromHeader, fromRaw} {
			got, err := c.decode(back)
			if err != nil || !reflect.DeepEqual(got, env) {
				t.Fatalf("%+v\nbecame %+v, %v", env, got, err)
			}
		}
	})
}

func TestPayloadsAreCompressed(t *testing.T) {
	c := codecOf(t)
	long, short := event(1), events.Envelope{ID: "1", Type: "a.b", Version: 1, Data: []byte("7")}
	long.Data = []byte(longOutput(smallPayload))
	for _, w := range []struct {
		env      events.Envelope
		encoding string
		most     int
	}{{event(1), "s2-1", 90}, {long, "zstd", len(long.Data) / 5}, {short, "", 4}} {
		if m, err := c.encode(w.env); err != nil || m.encoding != w.encoding || len(m.data) > w.most {
			t.Errorf("a hook of %d bytes takes %d, %q, %v; want at most %d, %q", len(w.env.Data), len(m.data), m.encoding, err, w.most, w.encoding)
		}
	}
}

func TestDictionaryIsFrozen(t *testing.T) {
	if id := dictionary[4:8]; !bytes.Equal(id, []byte{1, 0, 0, 0}) || len(dictionary) > 64<<10 {
		t.Errorf("dictionary id % x, %d bytes", id, len(dictionary))
	}
	// A frame made when the dictionary was shipped: a changed dictionary cannot read it.
	frozen := []byte("(\xb5/\xfd!\x01\x89\x05\x02\x00\xd4\x02c68c8a51-e89d-45af-bd06-f5c764bc3b27echo 1\"}}\x05\xf0mf\xd3\xb8\x06.\\g~D\x96Og\x1c\x01")
	c := codecOf(t)
	plain, err := c.unpack("zstd", frozen, nil)
	if want := string(event(1).Data); err != nil || string(plain) != want {
		t.Errorf("frozen frame: %q, %v; now it is %q", plain, err, c.frame(event(1).Data))
	}
	// A block finds its own beginning at a place in the dictionary, which must not move either.
	block := []byte("\x89\x01:y\x02,c68c8a51-e89\x0e4\x16Haf-bd06-f5c764bc3b2AyJ\x82\x01^\x8a\vzj\x0e echo 1\"}}")
	plain, err = c.unpack("s2-1", block, nil)
	if now, _ := c.pack(event(1).Data); err != nil || string(plain) != string(event(1).Data) {
		t.Errorf("frozen block: %q, %v; now it is %q", plain, err, now)
	}
}

// A log of before the blocks has frames: both encodings and none are read, into memory of their own or into what is given.
func TestEveryEncodingIsRead(t *testing.T) {
	c := codecOf(t)
	rapid.Check(t, func(t *rapid.T) {
		room := make([]byte, 0, rapid.IntRange(0, 4096).Draw(t, "room"))
		plain := []byte(longOutput(rapid.IntRange(0, 600).Draw(t, "size")))
		packed, encoding := c.pack(plain)
		switch rapid.IntRange(0, 2).Draw(t, "encoding") {
		case 0:
			packed, encoding = plain, ""
		case 1:
			packed, encoding = c.frame(plain), encodingZstd
		}
		for _, to := range [][]byte{nil, room} {
			if got, err := c.unpack(encoding, packed, to); err != nil || !bytes.Equal(got, plain) {
				t.Fatalf("%q: %q became %q, %v", encoding, plain, got, err)
			}
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	c := codecOf(t)
	good := expect.Value(c.encode(event(1)))(t)
	foreign := c.frame(good.data)
	foreign[5] = 99 // the dictionary's id in the frame's header
	for name, m := range map[string]message{
		"unknown dictionary": {encoding: "zstd", data: foreign},
		"truncated block":    {encoding: "s2-1", data: good.data[:len(good.data)-3]},
		"other dictionary":   {encoding: "s2-2", data: good.data},
		"no line":            {data: []byte("{}")},
		"no JSON":            {data: []byte("hello\n{}")},
		"subject":            {data: []byte("{}\n{}"), time: "2026-11-21T07:52:00Z", subject: "ev.a.b.c"},
		"time":               {data: []byte("{}\n{}"), subject: "ev.a.b.c.d"},
	} {
		if _, err := c.decode(m); !errors.Is(err, ErrBadPayload) {
			t.Errorf("%s: %v, want ErrBadPayload", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := codecOf(f)
	for _, n := range []uint64{1, 99999} {
		m := expect.Value(c.encode(event(n)))(f)
		f.Add(m.subject, m.time, m.encoding, m.data)
	}
	f.Add("ev.=.=.a.=", "2026-11-21T07:52:00Z", "", []byte(`{"correlation":"","facts":{"pid":1}}`+"\n{}"))
	f.Fuzz(func(t *testing.T, subject, at, encoding string, data []byte) {
		env, err := c.decode(message{subject: subject, id: "1", typ: "a.b", time: at, encoding: encoding, data: data})
		if err != nil {
			if !errors.Is(err, ErrBadPayload) {
				t.Fatalf("%v is no ErrBadPayload", err)
			}
			return
		}
		m, err := c.encode(env)
		if errors.Is(err, ErrBadEnvelope) { // a time or a token that only a foreign writer makes
			return
		}
		expect.OK(t, err)
		again, err := c.decode(m)
		if err != nil || !again.Time.Equal(env.Time) || again.Session != env.Session || !bytes.Equal(again.Data, env.Data) {
			t.Fatalf("%+v became %+v, %v", env, again, err)
		}
	})
}

// A payload that claims or unpacks to more than it may is refused before it costs memory.
func TestBombs(t *testing.T) {
	c := codecOf(t)
	claim := binary.AppendUvarint(nil, 60<<20) // how an S2 block begins
	whole := c.frame(make([]byte, maxPlain+1))
	for name, bomb := range map[string]struct {
		encoding string
		packed   []byte
	}{
		"block":   {encodingS2, append(claim, 1, 2, 3)},
		"frame":   {encodingZstd, whole},
		"cut off": {encodingZstd, whole[:40]},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.unpack(bomb.encoding, bomb.packed, nil)
		runtime.ReadMemStats(&after)
		if cost := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrBadPayload) || cost > 8<<20 {
			t.Errorf("%s of %d bytes: %v, %d MiB", name, len(bomb.packed), err, cost>>20)
		}
	}
}

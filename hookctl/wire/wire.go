// Package wire is the thin client, and the protocol between it and the daemon. It links the standard library without net,
// net/http, encoding/json and fmt (net only on Windows): a hook is a whole process, and net alone makes one two and a half
// times as slow as an empty program.
//
// One HTTP/1.1 request on a unix socket, then one answer, then the end:
//
//	POST /v1/hook/PostToolUse HTTP/1.1
//	Host: hookline
//	Hookline-Protocol: 1
//	Hookline-Build: 0.1.0
//	Hookline-Frame: {"id":"01K…","args":["hook","PostToolUse"],"cwd":"/home/me/app","ppid":4711,"time":1763712720000,…}
//	Content-Type: application/json
//	Content-Length: 2048
//	Connection: close
//
// The body is the hook's JSON as it came. Of the answer's body the first Hookline-Stdout bytes are for stdout, the rest is
// for stderr:
//
//	HTTP/1.1 200 OK
//	Hookline-Protocol: 1
//	Hookline-Build: 0.1.0
//	Hookline-Exit: 0
//	Hookline-Stdout: 24
//	Content-Length: 24
//
// 503 is [ErrBusy], 421 [ErrNoDaemon]. Any other status, and an answer without a length, is [ErrProtocol]: the frame then
// goes to "hookd deliver", which spools it.
package wire

import (
	"errors"
	"math/rand/v2"
	"strconv"
)

// Protocol is the version of the request and the answer; it changes when an old peer would misread a new one.
const Protocol = 1

// Limit is the largest hook input, in bytes, that is carried whole: a 3 MB Write arrives as 6 MB, so
// ten times the largest seen. Above it the first headSize bytes and the size are kept.
const (
	Limit    = 64 << 20
	headSize = 1 << 20
)

// Build is the version of this binary, set by -ldflags "-X hookline/hookctl/wire.Build=…".
var Build = "0.1.0-dev"

// What can go wrong with a request. The daemon may have recorded the frame in the last two cases,
// so a frame that is sent again keeps its id.
var (
	ErrNoDaemon = errors.New("no daemon is listening")
	ErrTimeout  = errors.New("the daemon did not answer in time")
	ErrBusy     = errors.New("the daemon cannot take it now")
	ErrProtocol = errors.New("not an answer of this protocol")
)

// Frame is one hook call: what was asked, from where, and the input. Everything but Body travels as
// one line of JSON, see [Frame.Header].
type Frame struct {
	ID       string            `json:"id"`      // ULID; made at capture, kept by every retry and by the spool
	Args     []string          `json:"args"`    // the command line without the program
	Cwd      string            `json:"cwd"`     // "" when the directory is gone
	PPID     int               `json:"ppid"`    // the client, or a shell between
	Time     int64             `json:"time"`    // capture, Unix milliseconds
	Env      map[string]string `json:"env"`     // the variables of envNames that are set; never keys or tokens
	Binary   string            `json:"binary"`  // the client's executable, for the hand-over to a newer daemon
	Invoked  string            `json:"invoked"` // as the hook entry names it; with Binary it distinguishes two installs
	Complete bool              `json:"complete"`
	Size     int64             `json:"size"` // of the input; above len(Body) only when it was over [Limit]
	Note     string            `json:"note,omitempty"`
	Lost     bool              `json:"lost,omitempty"`     // the hook could not be kept: Body holds its ids only, Size is of the input
	Redacted int               `json:"redacted,omitempty"` // secrets replaced before the frame was spooled
	Sum      string            `json:"sum,omitempty"`      // of a spooled frame: digest of the header without it and the body
	Body     []byte            `json:"-"`
	Home     string            `json:"-"` // [Mark] of the home that is meant, for the daemon to compare; "" where it is not known
}

// Reply is the daemon's answer.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}

// envNames are the only variables that leave the client's environment, which also holds its API key.
var envNames = [...]string{
	"CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED",
	"CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_CONFIG_DIR",
	"CLAUDE_SKIP_REQUIREMENTS",
}

// NewID returns a ULID: 48 bits of Unix milliseconds and 80 random ones, of the runtime's generator
// (ChaCha8, seeded by the kernel): an id must be unique, not secret. Not monotonic within a millisecond.
func NewID(ms int64) string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var id [26]byte
	fill := func(to []byte, bits uint64) {
		for i := len(to) - 1; i >= 0; i-- {
			to[i] = digits[bits&31]
			bits >>= 5
		}
	}
	fill(id[:10], uint64(ms))
	fill(id[10:18], rand.Uint64())
	fill(id[18:], rand.Uint64())
	return string(id[:])
}

// Header returns the frame without its body as one line of ASCII JSON, fit for an HTTP header and for the
// first line of a spool file. Strings are cut at 4096 bytes (the longest path of the platforms);
// bytes that are no UTF-8 become U+FFFD.
func (f Frame) Header() []byte {
	b := append(make([]byte, 0, 1024), `{"id":`...)
	b = appendString(b, f.ID)
	b = append(b, `,"args":[`...)
	for i, a := range f.Args {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, a)
	}
	b = appendString(append(b, `],"cwd":`...), f.Cwd)
	b = strconv.AppendInt(append(b, `,"ppid":`...), int64(f.PPID), 10)
	b = strconv.AppendInt(append(b, `,"time":`...), f.Time, 10)
	b = append(b, `,"env":{`...)
	comma := false
	for _, name := range envNames {
		if v, ok := f.Env[name]; ok {
			if comma {
				b = append(b, ',')
			}
			b = appendString(append(appendString(b, name), ':'), v)
			comma = true
		}
	}
	b = appendString(append(b, `},"binary":`...), f.Binary)
	b = appendString(append(b, `,"invoked":`...), f.Invoked)
	b = strconv.AppendBool(append(b, `,"complete":`...), f.Complete)
	b = strconv.AppendInt(append(b, `,"size":`...), f.Size, 10)
	if f.Note != "" {
		b = appendString(append(b, `,"note":`...), f.Note)
	}
	if f.Lost {
		b = append(b, `,"lost":true`...)
	}
	if f.Sum != "" {
		b = appendString(append(b, `,"sum":`...), f.Sum)
	}
	if f.Redacted > 0 {
		b = strconv.AppendInt(append(b, `,"redacted":`...), int64(f.Redacted), 10)
	}
	return append(b, '}')
}

// appendString adds s as a JSON string in ASCII: a header holds no other bytes.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	unit := func(u rune) {
		b = append(b, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	b = append(b, '"')
	for _, r := range s[:min(len(s), 4096)] {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff: // two UTF-16 units
			unit(0xd800 + (r-0x10000)>>10)
			unit(0xdc00 + r&0x3ff)
		default:
			unit(r)
		}
	}
	return append(b, '"')
}

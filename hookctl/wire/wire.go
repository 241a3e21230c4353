// Package wire implements the thin client, and the protocol between it and the daemon. It links the standard library
// without net, net/http, encoding/json and fmt (net only on Windows): a hook is a whole process, and net alone makes
// one two and a half times as slow as an empty program.
//
// One HTTP/1.1 request on a unix socket, then one answer, then the end:
//
//	POST /v1/hook/PostToolUse HTTP/1.1
//	Host: hookline
//	Hookline-Protocol: 1
//	Hookline-Build: 0.1.0
//	Hookline-Frame: {"id":"01K…","args":["hook","PostToolUse"],"cwd":"/home/me/app","ppid":4711,…}
//	Content-Type: application/json
//	Content-Length: 2048
//	Connection: close
//
// The body is the hook's JSON as it came. Of the answer's body the first Hookline-Stdout bytes are for stdout, the
// rest is for stderr:
//
//	HTTP/1.1 200 OK
//	Hookline-Protocol: 1
//	Hookline-Build: 0.1.0
//	Hookline-Exit: 0
//	Hookline-Stdout: 24
//	Content-Length: 24
//
// 503 is [ErrBusy], 421 [ErrNoDaemon]. Any other status, and an answer without a length, is [ErrProtocol]: the frame
// then goes to "hookd deliver", which spools it.
package wire

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"unicode/utf16"
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

// Frame is one hook call: its arguments, its environment and the input. Everything but Body and Home travels as
// one line of JSON, see [Frame.Header].
type Frame struct {
	ID       string            `json:"id"`      // ULID; made at capture, kept by every retry and by the spool
	Args     []string          `json:"args"`    // the command line without the program
	Cwd      string            `json:"cwd"`     // "" when the directory is gone
	PPID     int               `json:"ppid"`    // the client, or a shell between
	Time     int64             `json:"time"`    // capture, Unix milliseconds
	Env      map[string]string `json:"env"`     // the variables of envNames that are set; never keys or tokens
	Binary   string            `json:"binary"`  // the client's executable, for the hand-over to a newer daemon
	Invoked  string            `json:"invoked"` // the executable as the hook entry names it; tells two installs apart
	Complete bool              `json:"complete"`
	Size     int64             `json:"size"` // of the input; above len(Body) only when it was over [Limit]
	Note     string            `json:"note,omitempty"`

	// Lost is set where the hook's input could not be kept: Body holds only its ids, Size is that of the input.
	Lost     bool   `json:"lost,omitempty"`
	Redacted int    `json:"redacted,omitempty"` // secrets replaced before the frame was spooled
	Sum      string `json:"sum,omitempty"`      // in the spool: digest of the body and of the header without Sum
	Body     []byte `json:"-"`
	Home     string `json:"-"` // [Mark] of the home that is meant, for the daemon to compare; "" where it is not known
}

// Reply is the daemon's answer.
type Reply struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}

// envNames lists the only variables that leave the client's environment, which also holds its API key.
var envNames = [...]string{
	"CLAUDE_CODE_SESSION_ID",
	"CLAUDE_PID",
	"CLAUDE_PROJECT_DIR",
	"CLAUDE_CODE_ENTRYPOINT",
	"CLAUDE_CODE_SESSION_ATTENDED",
	"CLAUDE_CODE_CHILD_SESSION",
	"CLAUDE_PLUGIN_ROOT",
	"CLAUDE_PLUGIN_DATA",
	"CLAUDE_ENV_FILE",
	"CLAUDE_EFFORT",
	"CLAUDE_CONFIG_DIR",
	"CLAUDE_SKIP_REQUIREMENTS",
}

// NewID returns a ULID: 48 bits of Unix milliseconds and 80 random ones, of the runtime's generator
// (ChaCha8, seeded by the kernel): an id must be unique, not secret. Not monotonic within a millisecond.
func NewID(ms int64) string {
	var id [26]byte
	putBase32(id[:10], uint64(ms))
	putBase32(id[10:18], rand.Uint64())
	putBase32(id[18:], rand.Uint64())
	return string(id[:])
}

// putBase32 fills to with the lowest bits of n in Crockford's base 32, five bits a digit.
func putBase32(to []byte, n uint64) {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	for i := len(to) - 1; i >= 0; i-- {
		to[i] = digits[n&31]
		n >>= 5
	}
}

// maxString is the longest string of a header, in bytes: the longest path of the platforms.
const maxString = 4096

// Header returns the frame without its body as one line of ASCII JSON, fit for an HTTP header and for the
// first line of a spool file. Strings are cut at [maxString]; bytes that are no UTF-8 become U+FFFD.
func (f Frame) Header() []byte {
	b := make([]byte, 0, 1024)
	b = append(b, `{"id":`...)
	b = appendString(b, f.ID)
	b = append(b, `,"args":[`...)
	for i, arg := range f.Args {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, arg)
	}
	b = append(b, `],"cwd":`...)
	b = appendString(b, f.Cwd)
	b = append(b, `,"ppid":`...)
	b = strconv.AppendInt(b, int64(f.PPID), 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, f.Time, 10)
	b = append(b, `,"env":`...)
	b = appendEnv(b, f.Env)
	b = append(b, `,"binary":`...)
	b = appendString(b, f.Binary)
	b = append(b, `,"invoked":`...)
	b = appendString(b, f.Invoked)
	b = append(b, `,"complete":`...)
	b = strconv.AppendBool(b, f.Complete)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, f.Size, 10)

	if f.Note != "" {
		b = append(b, `,"note":`...)
		b = appendString(b, f.Note)
	}
	if f.Lost {
		b = append(b, `,"lost":true`...)
	}
	if f.Sum != "" {
		b = append(b, `,"sum":`...)
		b = appendString(b, f.Sum)
	}
	if f.Redacted > 0 {
		b = append(b, `,"redacted":`...)
		b = strconv.AppendInt(b, int64(f.Redacted), 10)
	}
	return append(b, '}')
}

// appendEnv adds the variables of [envNames] as a JSON object.
func appendEnv(b []byte, env map[string]string) []byte {
	b = append(b, '{')
	first := true
	for _, name := range envNames {
		value, isSet := env[name]
		if !isSet {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendString(b, name)
		b = append(b, ':')
		b = appendString(b, value)
	}
	return append(b, '}')
}

// appendString adds s as a JSON string in ASCII, since an HTTP header holds no other bytes, cut at [maxString].
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s[:min(len(s), maxString)] {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendUnit(b, high)
			b = appendUnit(b, low)
		default:
			b = appendUnit(b, r)
		}
	}
	return append(b, '"')
}

// appendUnit adds a UTF-16 unit as a JSON escape.
func appendUnit(b []byte, u rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}

package embedded

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/events"
)

// Headers of a message. CloudEvents' names, but lean: what the subject says is not said again.
const (
	headerID       = jetstream.MsgIDHeader // Nats-Msg-Id, which the server deduplicates by
	headerType     = "ce-type"
	headerTime     = "ce-time"
	headerEncoding = "Content-Encoding"
)

// maxSubject bounds a subject in bytes; the server refuses control lines of 4 KiB.
const maxSubject = 2048

// message is one stored event, apart from its place in the log.
type message struct {
	subject  string
	id       string
	typ      string
	time     string
	encoding string
	data     []byte
}

// rest is the first line of a payload: the fields of the envelope that neither subject nor headers
// carry. Correlation is left out where it is the session, Version where it is 1, Client where it is Claude Code's: so it is
// in logs that were written before there were others.
type rest struct {
	Version     int           `json:"version,omitempty"`
	Worktree    string        `json:"worktree,omitempty"`
	Branch      string        `json:"branch,omitempty"`
	Phase       string        `json:"phase,omitempty"`
	Client      string        `json:"client,omitempty"`
	Hook        string        `json:"hook,omitempty"`
	ToolUseID   string        `json:"tool_use_id,omitempty"`
	AgentID     string        `json:"agent_id,omitempty"`
	Correlation *string       `json:"correlation,omitempty"` // pointer: "" is a value of its own
	Causation   string        `json:"causation,omitempty"`
	Redacted    int           `json:"redacted,omitempty"`
	Imported    bool          `json:"imported,omitempty"`
	Facts       *events.Facts `json:"facts,omitempty"`
}

// subjectOf returns the subject of an event: ev.<project>.<session>. The server keeps each subject in memory, so the type is
// not in it (docs/decisions/0012).
func subjectOf(env events.Envelope) string {
	return subjectRoot + "." + token(env.Project) + "." + token(env.Session)
}

// printable says whether s can stand in a header as it is: not empty, ASCII without blanks.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

// encode makes the message of an envelope.
func (c *codec) encode(env events.Envelope) (message, error) {
	if !printable(env.ID) || !printable(env.Type) {
		return message{}, fmt.Errorf("%w: id %q, type %q", ErrBadEnvelope, env.ID, env.Type)
	}
	if y := env.Time.UTC().Year(); y < 1 || y > 9999 { // RFC 3339 could not be read back
		return message{}, fmt.Errorf("%w: a time in the year %d", ErrBadEnvelope, y)
	}
	head := rest{Worktree: env.Worktree, Branch: env.Branch, Phase: env.Phase, Hook: env.Hook, ToolUseID: env.ToolUseID,
		AgentID: env.AgentID, Causation: env.Causation, Redacted: env.Redacted, Imported: env.Imported, Facts: env.Facts}
	if env.Version != 1 {
		head.Version = env.Version
	}
	if env.Client != usualClient(env.Session) {
		head.Client = env.Client
	}
	if env.Correlation != env.Session {
		head.Correlation = &env.Correlation
	}
	line, err := json.Marshal(head)
	if err != nil {
		return message{}, fmt.Errorf("%w: %w", ErrBadEnvelope, err)
	}
	plain := make([]byte, 0, len(line)+1+len(env.Data))
	plain = append(append(append(plain, line...), '\n'), env.Data...)
	if len(plain) > maxPlain {
		return message{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(plain))
	}
	subject := subjectOf(env)
	if len(subject) > maxSubject {
		return message{}, fmt.Errorf("%w: a subject of %d bytes", ErrBadEnvelope, len(subject))
	}
	m := message{subject: subject, id: env.ID, typ: env.Type, time: env.Time.UTC().Format(time.RFC3339Nano)}
	m.data, m.encoding = c.pack(plain)
	if len(m.data) > maxPayload-4096 { // the headers count too
		return message{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(m.data))
	}
	return m, nil
}

// usualClient returns the client of an event that names none: Claude Code for one of a session.
func usualClient(session string) string {
	if session == "" {
		return ""
	}
	return events.ClaudeCode
}

// decode undoes encode, but for an event of a session without a client, which becomes one of Claude Code.
func (c *codec) decode(m message) (events.Envelope, error) {
	plain, err := c.unpack(m.encoding, m.data, nil)
	if err != nil {
		return events.Envelope{}, err
	}
	return m.envelope(plain)
}

// envelope puts the envelope together whose payload is plain.
func (m message) envelope(plain []byte) (events.Envelope, error) {
	line, data, found := bytes.Cut(plain, []byte{'\n'})
	if !found {
		return events.Envelope{}, fmt.Errorf("%w: no envelope line", ErrBadPayload)
	}
	var head rest
	if !events.Fill(line, &head) {
		head = rest{}
		if err := json.Unmarshal(line, &head); err != nil {
			return events.Envelope{}, fmt.Errorf("%w: envelope line: %w", ErrBadPayload, err)
		}
	}
	at, err := time.Parse(time.RFC3339Nano, m.time)
	if err != nil {
		return events.Envelope{}, fmt.Errorf("%w: %w", ErrBadPayload, err)
	}
	project, session, err := m.place()
	if err != nil {
		return events.Envelope{}, fmt.Errorf("%w: %w", ErrBadPayload, err)
	}

	env := events.Envelope{ID: m.id, Type: m.typ, Version: cmp.Or(head.Version, 1), Time: at, Project: project, Session: session,
		Worktree: head.Worktree, Branch: head.Branch, Phase: head.Phase, Client: cmp.Or(head.Client, usualClient(session)),
		Hook: head.Hook, ToolUseID: head.ToolUseID, AgentID: head.AgentID, Correlation: session, Causation: head.Causation,
		Redacted: head.Redacted, Imported: head.Imported, Facts: head.Facts}
	if head.Correlation != nil {
		env.Correlation = *head.Correlation
	}
	if len(data) > 0 {
		env.Data = data
	}
	return env, nil
}

// place takes the subject apart. Logs of schema 1 have the type behind the session.
func (m message) place() (project, session string, err error) {
	tokens := strings.Split(m.subject, ".")
	if len(tokens) != 3 && len(tokens) != 5 || tokens[0] != subjectRoot {
		return "", "", fmt.Errorf("subject %q", m.subject)
	}
	if project, err = unescape(tokens[1]); err == nil {
		session, err = unescape(tokens[2])
	}
	return project, session, err
}

// natsMsg returns the message as the client library sends it.
func (m message) natsMsg() *nats.Msg {
	h := nats.Header{headerID: {m.id}, headerType: {m.typ}, headerTime: {m.time}}
	if m.encoding != "" {
		h[headerEncoding] = []string{m.encoding}
	}
	return &nats.Msg{Subject: m.subject, Header: h, Data: m.data}
}

// ofHeader fills in what a parsed header says.
func (m message) ofHeader(h nats.Header) message {
	m.id, m.typ, m.time, m.encoding = h.Get(headerID), h.Get(headerType), h.Get(headerTime), h.Get(headerEncoding)
	return m
}

// ofRaw fills in what a header says as it lies in a block: "NATS/1.0\r\nName: value\r\n…\r\n".
func (m message) ofRaw(h []byte) message {
	for len(h) > 0 {
		var line []byte
		line, h, _ = bytes.Cut(h, []byte{'\n'}) // TrimSpace takes the \r
		name, value, _ := bytes.Cut(line, []byte{':'})
		text := string(bytes.TrimSpace(value))
		switch string(name) {
		case headerID:
			m.id = text
		case headerType:
			m.typ = text
		case headerTime:
			m.time = text
		case headerEncoding:
			m.encoding = text
		}
	}
	return m
}

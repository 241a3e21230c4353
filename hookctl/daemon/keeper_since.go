package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/problem"
)

// A client of NATS that was away asks for what it has missed: the events after a sequence, in pieces of a bounded size. It asks
// for the next piece when it has read one, so a slow client is not run over.

// sinceRequest is what a client asks for.
type sinceRequest struct {
	Seq    *uint64 `json:"seq"`    // the newest event that it has
	Filter string  `json:"filter"` // a pattern of subjects, as it subscribes by; "" means all events
}

// sinceEnd is the last message of an answer.
type sinceEnd struct {
	End  bool   `json:"end"`  // always true: it is no event
	Seq  uint64 `json:"seq"`  // every matching event up to here was sent
	Sent int    `json:"sent"` // number of events
	More bool   `json:"more"` // the log goes on: ask again from seq
}

// sinceTrouble is a message about what could not be done.
type sinceTrouble struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
	Seq   uint64 `json:"seq,omitempty"` // of an event that has no room in a message
}

// sinceLimits bound an answer.
type sinceLimits struct {
	events int // sent
	bytes  int // sent, but for the event that goes beyond
	read   int // records that are looked at
}

// sinceAtOnce are the bounds of an answer. A client is cut off when 16 MiB wait for it, the events to come among them.
var sinceAtOnce = sinceLimits{events: 1000, bytes: 4 << 20, read: 50_000}

// errPieceFull ends the reading of a piece.
var errPieceFull = errors.New("the piece is full")

// answerSince answers a request by messages: the events, then the end; or the error alone.
func answerSince(ctx context.Context, c *core, request []byte, limits sinceLimits, send func([]byte) error) {
	say := func(v any) {
		data, err := json.Marshal(v)
		if err == nil {
			err = send(data)
		}
		if err != nil {
			c.log.Warn("answer a client of NATS", "err", err)
		}
	}

	end, err := sendSince(ctx, c, request, limits, send)
	if err != nil {
		p := problem.Of(err)
		say(sinceTrouble{Error: p.Message, Hint: p.Hint})
		return
	}
	say(end)
}

// sendSince sends the events of a piece.
func sendSince(ctx context.Context, c *core, request []byte, limits sinceLimits, send func([]byte) error) (sinceEnd, error) {
	to, _ := c.rec.Synced()
	after, pattern, err := readSince(request, to)
	if err != nil {
		return sinceEnd{}, err
	}

	end := sinceEnd{End: true, Seq: after}
	if after == to {
		return end, nil
	}
	size, looked := 0, 0
	err = c.stream.Read(ctx, after+1, to, func(r events.Record) error {
		full := end.Sent == limits.events || size >= limits.bytes || looked == limits.read
		if full {
			return errPieceFull
		}
		looked++
		if pattern.Match(r) {
			data, err := sinceMessage(r)
			if err == nil {
				err = send(data)
			}
			if err != nil {
				return err
			}
			size += len(data)
			end.Sent++
		}
		end.Seq = r.Seq
		return nil
	})
	end.More = errors.Is(err, errPieceFull)
	if err != nil && !end.More {
		return end, err
	}
	if !end.More {
		end.Seq = max(after, to) // behind the last record there may be holes
	}
	return end, nil
}

// sinceMessage returns an event as a message; of one that has no room its sequence, and where it is to be read.
func sinceMessage(r events.Record) ([]byte, error) {
	data, err := embedded.FeedMessage(r)
	if errors.Is(err, embedded.ErrFeedTooLarge) {
		return json.Marshal(sinceTrouble{Error: err.Error(), Hint: "`hookctl events show " + r.ID + "` prints it", Seq: r.Seq})
	}
	return data, err
}

// readSince reads a request. The log ends at sequence last.
func readSince(request []byte, last uint64) (after uint64, pattern embedded.FeedPattern, err error) {
	const example = `for example {"seq":120,"filter":"ev.*.*.tool.>"}`
	var asked sinceRequest
	in := json.NewDecoder(bytes.NewReader(request))
	in.DisallowUnknownFields()
	err = in.Decode(&asked)
	if errors.Is(err, io.EOF) {
		return 0, nil, problem.Bad("the request is empty").Advise(example)
	}
	if err != nil {
		return 0, nil, problem.Bad("the request cannot be read: %v", err).Advise(example)
	}
	if asked.Seq == nil {
		return 0, nil, problem.Bad("the request has no seq, the sequence of the newest event that you have").Advise(example)
	}
	if *asked.Seq > last {
		return 0, nil, problem.Bad("the log ends at sequence %d", last).Advise("it may be another log than the one you know: {\"seq\":0} asks for all of it")
	}

	if asked.Filter == "" {
		asked.Filter = "ev.>"
	}
	pattern, err = embedded.ReadFeedPattern(asked.Filter)
	if err != nil {
		return 0, nil, problem.Bad("filter: %v", err).Advise("ev.<project>.<session>.<area>.<what> with * for a part and > for the rest; " + example)
	}
	return *asked.Seq, pattern, nil
}

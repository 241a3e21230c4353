package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// pubAck is the server's answer to one message, or to the last one of a batch.
type pubAck struct {
	Error     *jetstream.APIError `json:"error"`
	Seq       uint64              `json:"seq"`
	Duplicate bool                `json:"duplicate"`
	Count     int                 `json:"count"` // of a batch
}

// errNoAnswer says that what answered is not the log.
var errNoAnswer = errors.New("the server's answer is no acknowledgement")

// plainAck is how the server begins its answer to a message that was stored. What follows is the sequence and,
// for most, the closing brace.
const plainAck = `{"stream":"` + streamName + `","seq":`

// parseAck reads an acknowledgement. The one of a stored message is taken apart by hand: it comes with every
// hook, and a JSON decoder takes longer for it than the server takes for the message.
func parseAck(data []byte) (pubAck, error) {
	if digits, ok := bytes.CutPrefix(data, []byte(plainAck)); ok {
		if digits, ok = bytes.CutSuffix(digits, []byte{'}'}); ok {
			if seq, err := strconv.ParseUint(string(digits), 10, 64); err == nil && seq > 0 {
				return pubAck{Seq: seq}, nil
			}
		}
	}
	var ack pubAck
	if err := json.Unmarshal(data, &ack); err != nil {
		return pubAck{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if ack.Error == nil && ack.Seq == 0 {
		return pubAck{}, fmt.Errorf("%w: %.100q", errNoAnswer, data)
	}
	return ack, nil
}

package embedded

import (
	"encoding/json"
	"errors"
	"fmt"

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

// parseAck reads an acknowledgement.
func parseAck(data []byte) (pubAck, error) {
	var ack pubAck
	if err := json.Unmarshal(data, &ack); err != nil {
		return pubAck{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if ack.Error == nil && ack.Seq == 0 {
		return pubAck{}, fmt.Errorf("%w: %.100q", errNoAnswer, data)
	}
	return ack, nil
}

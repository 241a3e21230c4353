package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"hookline/hookctl/problem"
)

// The answer of a request that takes long is NDJSON: ten times a second a line with how far the
// work is, then the result or what refused it.
//
//	{"progress":4096,"of":120000}
//	{"result":{"clean":true}}

// every is how often a line is written: often enough for a bar that moves.
const every = 100 * time.Millisecond

type progressLine struct {
	Progress uint64 `json:"progress"`
	Of       uint64 `json:"of"`
}

// AnswerLong runs a request and writes its answer. The work counts up to of, and is cancelled when the connection ends;
// an error is part of the answer, not the returned one.
func AnswerLong(w http.ResponseWriter, r *http.Request, of uint64, run func(ctx context.Context, progress func(uint64)) (any, error)) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	flush := http.NewResponseController(w)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var at atomic.Uint64 // a reader that stalls holds up this goroutine, not the work
	done := make(chan any, 1)
	go func() {
		result, err := run(ctx, at.Store)
		done <- lastLine(result, err)
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case line := <-done:
			return out.Encode(line)
		case <-tick.C:
			if out.Encode(progressLine{Progress: at.Load(), Of: of}) != nil || flush.Flush() != nil {
				cancel() // the connection ended
				<-done
				return nil
			}
		}
	}
}

// ErrUnfinished says that a long request's answer ended before its result: the daemon is gone.
var ErrUnfinished = errors.New("the daemon ended before its answer did")

// ReadLong reads such an answer, line by line as stream gives them, to its result, which it gives as it came; progress hears how
// far the work is. A refusal is stream's own error, as it is that of [Client.Stream].
func ReadLong(stream func(line func([]byte) error) error, progress func(done, of uint64)) (json.RawMessage, error) {
	var result json.RawMessage
	err := stream(func(line []byte) error {
		if len(line) == 0 { // a heartbeat
			return nil
		}
		var l struct {
			progressLine
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if l.Result != nil {
			result = l.Result
		} else {
			progress(l.Progress, l.Of)
		}
		return nil
	})
	if err == nil && result == nil {
		err = ErrUnfinished
	}
	return result, err
}

// lastLine is the line that ends an answer.
func lastLine(result any, err error) any {
	if err == nil {
		return map[string]any{"result": result}
	}
	p := &problem.Error{Message: err.Error(), Exit: 1}
	errors.As(Advised(err), &p)
	return p
}

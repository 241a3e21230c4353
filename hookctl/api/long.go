package api

import (
	"context"
	"encoding/json"
	"errors"
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

// progressEvery is how often a line is written: often enough for a bar that moves.
const progressEvery = 100 * time.Millisecond

// progressLine says how far the work is.
type progressLine struct {
	Progress uint64 `json:"progress"`
	Of       uint64 `json:"of"`
}

// longLine is any line of such an answer but an error.
type longLine struct {
	progressLine
	Result json.RawMessage `json:"result"`
}

// answerLong does the work of a request and writes its answer. The work counts up to total, and is cancelled when the
// connection ends; an error of the work is part of the answer, not the returned one.
func answerLong[Result any](w http.ResponseWriter, r *http.Request, total uint64, advise func(error) error, run Work[Result]) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	flush := http.NewResponseController(w)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()

	var at atomic.Uint64 // a reader that stalls holds up this goroutine, not the work
	done := make(chan any, 1)
	go func() {
		result, err := run(ctx, at.Store)
		done <- lastLine(result, err, advise)
	}()

	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case line := <-done:
			return out.Encode(line)
		case <-tick.C:
			if out.Encode(progressLine{Progress: at.Load(), Of: total}) != nil || flush.Flush() != nil {
				cancel() // the connection ended
				<-done
				return nil
			}
		}
	}
}

// lastLine returns the line that ends an answer.
func lastLine(result any, err error, advise func(error) error) any {
	if err == nil {
		return map[string]any{"result": result}
	}
	if advise != nil {
		err = advise(err)
	}
	p := &problem.Error{Message: err.Error(), Exit: 1}
	errors.As(err, &p)
	return p
}

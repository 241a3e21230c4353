package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

// Caller is a way to a daemon: its socket, or what answers in this process. Safe for concurrent use.
type Caller interface {
	// Send sends a request that this package has made. What is refused is an error, as a rule a [problem.Error]; of every
	// other answer the body must be closed.
	Send(r *http.Request) (*http.Response, error)
}

// ErrUnfinished says that the answer of a [Long] ended before its result: the daemon is gone.
var ErrUnfinished = errors.New("the daemon ended before its answer did")

// Call asks and returns the answer.
func (e Endpoint[Req, Ans]) Call(ctx context.Context, to Caller, request Req) (Ans, error) {
	answer, _, err := e.CallJSON(ctx, to, request)
	return answer, err
}

// CallJSON asks and returns the answer, also as it came: a newer daemon may have members that this build does not know.
func (e Endpoint[Req, Ans]) CallJSON(ctx context.Context, to Caller, request Req) (answer Ans, text json.RawMessage, err error) {
	resp, err := send(ctx, to, e.Method, e.Path, request)
	if err != nil {
		return answer, nil, err
	}
	defer resp.Body.Close()
	if _, none := any(answer).(None); none { // an older daemon may answer nothing at all
		return answer, nil, nil
	}

	text, err = io.ReadAll(resp.Body)
	if err != nil {
		return answer, nil, fmt.Errorf("read the answer: %w", err)
	}
	text = bytes.TrimSpace(text)
	return answer, text, decodeAnswer(resp, text, &answer)
}

// Each asks and calls fn for each value of the answer, until fn has an error.
func (s Stream[Req, Line]) Each(ctx context.Context, to Caller, request Req, fn func(Line) error) error {
	return s.lines(ctx, to, request, func(resp *http.Response, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		var line Line
		if err := decodeAnswer(resp, text, &line); err != nil {
			return err
		}
		return fn(line)
	})
}

// Lines asks and calls fn for each line of the answer as it came, until fn has an error. An empty line says that the daemon
// is there while nothing happens. The slice is valid during the call.
func (s Stream[Req, Line]) Lines(ctx context.Context, to Caller, request Req, fn func(line []byte) error) error {
	return s.lines(ctx, to, request, func(_ *http.Response, text []byte) error { return fn(text) })
}

func (s Stream[Req, Line]) lines(ctx context.Context, to Caller, request Req, fn func(*http.Response, []byte) error) error {
	resp, err := send(ctx, to, s.Method, s.Path, request)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return readLines(resp.Body, func(text []byte) error { return fn(resp, text) })
}

// Run asks, waits, and returns the result; progress hears how far the work is.
func (l Long[Req, Result]) Run(ctx context.Context, to Caller, request Req, progress func(done, of uint64)) (Result, error) {
	result, _, err := l.RunJSON(ctx, to, request, progress)
	return result, err
}

// RunJSON asks, waits, and returns the result, also as it came.
func (l Long[Req, Result]) RunJSON(ctx context.Context, to Caller, request Req, progress func(done, of uint64)) (result Result, text json.RawMessage, err error) {
	resp, err := send(ctx, to, l.Method, l.Path, request)
	if err != nil {
		return result, nil, err
	}
	defer resp.Body.Close()

	err = readLines(resp.Body, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var part longLine
		if err := json.Unmarshal(line, &part); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if part.Result != nil {
			text = part.Result
		} else {
			progress(part.Progress, part.Of)
		}
		return nil
	})
	if err != nil {
		return result, nil, err
	}
	if text == nil {
		return result, nil, ErrUnfinished
	}
	return result, text, decodeAnswer(resp, text, &result)
}

// send makes a request and sends it.
func send(ctx context.Context, to Caller, method, declared string, request any) (*http.Response, error) {
	path, query, body, err := encode(declared, request)
	if err != nil {
		return nil, err
	}
	plain, err := url.PathUnescape(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "http", Host: "hookline", Path: plain, RawPath: path, RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set(headerBuild, wire.Build)
	return to.Send(r)
}

// decodeAnswer reads a value of an answer, strictly where it comes from this build. A long answer has many values, so each
// is read once, and again only to say what is wrong with it.
func decodeAnswer(resp *http.Response, text []byte, into any) error {
	strict := sameBuild(resp.Header.Get(headerBuild))
	if strict && decodeKnown(text, into) == nil {
		return nil
	}

	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if !strict {
		return nil
	}
	return problem.Faultf("read the answer: %w", unknownMember(text, into)).Advise(otherTree)
}

// readLines calls fn for each line of an answer until fn has an error. A line {"error":…} ends it as a [problem.Error].
func readLines(answer io.Reader, fn func(line []byte) error) error {
	r := bufio.NewReaderSize(answer, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		ended := errors.Is(err, io.EOF)
		if ended && len(line) == 0 {
			return nil
		}
		if err != nil && !ended {
			return err
		}

		line = bytes.TrimSuffix(line, []byte("\n"))
		if bytes.HasPrefix(line, []byte(`{"error":`)) {
			refused := &problem.Error{Exit: 1}
			if json.Unmarshal(line, refused) == nil {
				return refused
			}
		}
		if err := fn(line); err != nil {
			return err
		}
	}
}

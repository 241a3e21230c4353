package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"hookline/hookctl/problem"
)

// Requests without types, until nobody makes them: package api has one line for each endpoint.

// Get fetches one JSON value into out, or the bytes where out is *[]byte.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	return c.do(ctx, http.MethodGet, path, query, nil, out)
}

// Post sends one JSON value and reads one into out; out may be nil.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	return c.do(ctx, http.MethodPost, path, nil, in, out)
}

func (c *Client) do(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	resp, err := c.send(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch out := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*out, err = io.ReadAll(resp.Body)
		return err
	default:
		return json.NewDecoder(resp.Body).Decode(out)
	}
}

// Stream calls fn for each line of an NDJSON answer; empty lines are heartbeats and passed on. The
// slice is valid during the call. A {"error":…} line ends it as a [problem.Error].
func (c *Client) Stream(ctx context.Context, method, path string, query url.Values, fn func(line []byte) error) error {
	resp, err := c.send(ctx, method, path, query, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	r := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if bytes.HasPrefix(line, []byte(`{"error":`)) {
			p := &problem.Error{Exit: 1}
			if json.Unmarshal(line, p) == nil {
				return p
			}
		}
		if err := fn(line); err != nil {
			return err
		}
	}
}

func (c *Client) send(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Response, error) {
	u := url.URL{Scheme: "http", Host: "hookline", Path: path, RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	return c.Send(r)
}

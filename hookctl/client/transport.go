package client

import (
	"io"
	"net/http"
)

// handlerTransport serves requests by a handler of this process, streaming.
type handlerTransport struct{ h http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil { // a handler's request always has one
		r.Body = http.NoBody
	}
	pr, pw := io.Pipe()
	w := &pipeWriter{header: http.Header{}, pipe: pw, ready: make(chan struct{})}
	go func() {
		t.h.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		_ = pw.Close()
	}()
	<-w.ready
	return &http.Response{StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: pr, Request: r}, nil
}

// pipeWriter is the response side of handlerTransport. It is used by one goroutine.
type pipeWriter struct {
	header http.Header
	pipe   *io.PipeWriter
	ready  chan struct{}
	status int
}

// Header implements [http.ResponseWriter].
func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter]; the first call counts.
func (w *pipeWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		close(w.ready)
	}
}

// Write implements [http.ResponseWriter].
func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(b)
}

// Flush implements [http.Flusher]: nothing is held back.
func (w *pipeWriter) Flush() {}

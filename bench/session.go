package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// call is one hook to play: its name and its input.
type call struct {
	event string
	body  []byte
}

// maxLine bounds a line of a file with hooks.
const maxLine = 64 << 20

// loadHooks reads the recorded hooks of a glob, or makes a session up, and says which.
func loadHooks(glob string) ([]call, string, error) {
	if glob == "" {
		calls := generate()
		return calls, fmt.Sprintf("a generated session of %d hooks, %.2f MB of compact JSON", len(calls), mega(calls)), nil
	}
	names, err := filepath.Glob(glob)
	if err != nil {
		return nil, "", fmt.Errorf("-hooks: %w", err)
	}
	if len(names) == 0 {
		return nil, "", errors.New("-hooks: no file matches")
	}
	var calls []call
	for _, name := range names {
		part, err := readHooks(name)
		if err != nil {
			return nil, "", fmt.Errorf("-hooks: %s: %w", filepath.Base(name), err)
		}
		calls = append(calls, part...)
	}
	return calls, fmt.Sprintf("%d recorded sessions, %d hooks, %.2f MB of compact JSON", len(names), len(calls), mega(calls)), nil
}

func mega(calls []call) float64 {
	n := 0
	for _, c := range calls {
		n += len(c.body)
	}
	return float64(n) / 1e6
}

func readHooks(name string) ([]call, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []call
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, maxLine)
	for line := 1; sc.Scan(); line++ {
		c, err := parseHook(sc.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		out = append(out, c)
	}
	return out, sc.Err()
}

// parseHook makes a line the compact JSON the client sent: fields keep their order, and those whose
// name begins with an underscore, such as _ts, belong to the recording.
func parseHook(line []byte) (call, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return call{}, fmt.Errorf("not a JSON object: %w", err)
	}
	var c call
	var out bytes.Buffer
	sep := byte('{')
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return call{}, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return call{}, err
		}
		name := key.(string)
		if name != "" && name[0] == '_' {
			continue
		}
		if name == "hook_event_name" {
			if err := json.Unmarshal(value, &c.event); err != nil {
				return call{}, err
			}
		}
		fmt.Fprintf(&out, "%c%q:", sep, name)
		if err := json.Compact(&out, value); err != nil {
			return call{}, err
		}
		sep = ','
	}
	if _, err := dec.Token(); err != nil {
		return call{}, err
	}
	if c.event == "" {
		return call{}, errors.New("no hook_event_name")
	}
	out.WriteByte('}')
	c.body = out.Bytes()
	return c, nil
}

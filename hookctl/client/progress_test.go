package client

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hookline/embedded"
	"hookline/hookctl/problem"
)

func TestRead(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct{ lines, result, progress, err string }{
		{`{"progress":1,"of":9}||{"progress":9,"of":9}|{"result":{"seq":9}}`, `{"seq":9}`, "1/9 9/9", ""},
		{`{"result":null}`, "null", "", ""},
		{`{"progress":1,"of":9}`, "", "1/9", "the daemon ended before its answer did"},
		{"", "", "", "the daemon ended before its answer did"},
		{`<html>`, "", "", "read the answer: invalid character '<' looking for beginning of value"},
		{`{"progress":1,"of":9}|refuse`, "", "1/9", "refused"},
	} {
		var told []string
		got, err := ReadLong(func(line func([]byte) error) error {
			for _, l := range strings.Split(c.lines, "|") {
				if l == "refuse" {
					return refused
				}
				if err := line([]byte(l)); err != nil {
					return err
				}
			}
			return nil
		}, func(done, of uint64) { told = append(told, fmt.Sprint(done, "/", of)) })
		var words string
		if err != nil {
			words = err.Error()
		}
		if string(got) != c.result || strings.Join(told, " ") != c.progress || words != c.err {
			t.Errorf("%s: %s, %s, %s", c.lines, got, told, words)
		}
	}
}

// What is wrong with the log has its exit code and its hint also where only words travel.
func TestLastLineAdvises(t *testing.T) {
	p, ok := lastLine(nil, fmt.Errorf("fold: %w", embedded.ErrLogDamaged)).(*problem.Error)
	if !ok || p.Exit != 2 || !strings.HasPrefix(p.Message, "fold: ") || !strings.HasPrefix(p.Hint, "keep a copy") {
		t.Errorf("%+v", p)
	}
}

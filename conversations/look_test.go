//go:build linux

package conversations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// What the scripts look at: events of the log, values of JSON, a hook's answer as the client reads it.

func cmdCount(ts *testscript.TestScript, _ bool, args []string) {
	found, err := matching(homeOf(ts), args[1], args[2:])
	ts.Check(err)
	if err := wantCount(strings.Join(args[1:], " "), args[0], len(found)); err != nil {
		for _, r := range found {
			ts.Logf("%s", r.raw)
		}
		ts.Check(err)
	}
}

// cmdEvent prints the newest event that matches; it waits for one, since what follows from a hook comes behind its answer.
func cmdEvent(ts *testscript.TestScript, _ bool, args []string) {
	r, err := homeOf(ts).newest(args[0], args[1:]...)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s\n", r.raw)
}

func cmdTypes(ts *testscript.TestScript, _ bool, args []string) {
	pattern := "*"
	if len(args) > 0 {
		pattern = args[0]
	}
	found, err := matching(homeOf(ts), pattern, nil)
	ts.Check(err)
	for _, r := range found {
		fmt.Fprintln(ts.Stdout(), r.fields["type"])
	}
}

// at is the value at a path of names and indexes as text; false when there is none.
func at(v any, path string) (string, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[name]
			if !ok {
				return "", false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				return "", false
			}
			v = x[i]
		default:
			return "", false
		}
	}
	switch x := v.(type) {
	case string:
		return x, true
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), true
	}
	b, err := json.Marshal(v)
	return string(b), err == nil
}

func cmdField(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	got, ok := at(v, args[0])
	switch {
	case neg && ok:
		ts.Fatalf("%s is %q", args[0], got)
	case neg:
	case !ok:
		ts.Fatalf("there is no %s", args[0])
	case got != args[1]:
		ts.Fatalf("%s is %q instead of %q", args[0], got, args[1])
	}
}

// answer is the client's view of a hook's stdout.
type answer struct {
	SystemMessage string `json:"systemMessage"`
	Specific      struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func lastAnswer(ts *testscript.TestScript) (a answer) {
	text := ts.ReadFile("stdout")
	if text != "" {
		ts.Check(json.Unmarshal([]byte(text), &a))
	}
	return a
}

func cmdContext(ts *testscript.TestScript, neg bool, args []string) {
	got, want := lastAnswer(ts).Specific.AdditionalContext, strings.Join(args, "\n")
	if neg {
		want = ""
	}
	if got != want && (got != "" || !late(ts)) {
		ts.Fatalf("the model is told %q instead of %q", got, want)
	}
}

func cmdMessage(ts *testscript.TestScript, neg bool, args []string) {
	got := lastAnswer(ts).SystemMessage
	if neg {
		if got != "" {
			ts.Fatalf("the user is told %q", got)
		}
		return
	}
	if !strings.Contains(got, args[0]) && (got != "" || !late(ts)) {
		ts.Fatalf("the user is told %q, not %q", got, args[0])
	}
}

func cmdJSONeq(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(sameJSON([]byte(ts.ReadFile(args[0])), []byte(ts.ReadFile(args[1]))))
}

// sameJSON compares by meaning: the order of members and white space do not count.
func sameJSON(a, b []byte) error {
	x, errA := exact(a)
	y, errB := exact(b)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if !reflect.DeepEqual(x, y) {
		return fmt.Errorf("not the same JSON:\n%.2000s\n%.2000s", a, b)
	}
	return nil
}

// exact decodes JSON with its numbers as they are written.
func exact(b []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err = dec.Decode(&v); err != nil {
		err = fmt.Errorf("%.200q: %w", b, err)
	}
	return v, err
}

// cmdRaw wants the hook's own JSON back from the event last printed.
func cmdRaw(ts *testscript.TestScript, _ bool, args []string) {
	var r struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
	raw, err := homeOf(ts).ask("GET", "/v1/events/"+r.ID+"?raw=1", "")
	ts.Check(err)
	ts.Check(sameJSON([]byte(strings.TrimPrefix(ts.ReadFile(args[0]), "\ufeff")), raw))
}

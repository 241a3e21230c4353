package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Scenario is what the scripted model answers. A request goes to the first route that matches; one that carries no
// tools (titles, summaries) gets SideText; all others are the main thread. A spent list of turns answers "done".
type Scenario struct {
	Main     []Turn  `json:"main"`
	Routes   []Route `json:"routes"`
	SideText string  `json:"side_text"`
}

// Route tells the requests of a subagent or of a compaction from those of the main thread.
type Route struct {
	Name string `json:"name"`
	// Where names the text that Match is tried on: first_user or last_user.
	Where string `json:"where"`
	Match string `json:"match"`
	Turns []Turn `json:"turns"`
	// Loop starts the turns again when they are spent.
	Loop bool `json:"loop"`

	re *regexp.Regexp
}

// Turn is one answer of the model.
type Turn struct {
	Text  string `json:"text"`
	Tools []Tool `json:"tools"`
	// Delay is how long the answer takes, in seconds.
	Delay float64 `json:"delay"`
	// Hold keeps the answer back: the API creates Hold+".reached" and waits until the file Hold exists.
	Hold string `json:"hold"`
	// Usage overrides single token counts of the answer; the client's compaction goes by them.
	Usage map[string]int `json:"usage"`
}

// Tool is one tool call. An empty ID gets one that is unique across runs, since resumed transcripts keep old ones.
type Tool struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// LoadScenario reads a scenario file. ${NAME} stands for vars[NAME]; an unknown name stays as it is, since shell
// commands in tool calls have variables of their own.
func LoadScenario(file string, vars map[string]string) (*Scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseScenario(expand(text, vars))
}

func parseScenario(text []byte) (*Scenario, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	sc := &Scenario{SideText: "side answer"}
	if err := dec.Decode(sc); err != nil {
		return nil, fmt.Errorf("parse scenario: %w", err)
	}
	for i := range sc.Routes {
		r := &sc.Routes[i]
		re, err := regexp.Compile("(?s)" + r.Match)
		if err != nil {
			return nil, fmt.Errorf("route %s: %w", r.Name, err)
		}
		r.re = re
	}
	return sc, nil
}

var placeholder = regexp.MustCompile(`\$\{(\w+)\}`)

// expand works on the JSON text, so a value is escaped as a JSON string is.
func expand(text []byte, vars map[string]string) []byte {
	return placeholder.ReplaceAllFunc(text, func(hit []byte) []byte {
		value, ok := vars[string(hit[2:len(hit)-1])]
		if !ok {
			return hit
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return hit
		}
		return []byte(strings.Trim(string(quoted), `"`))
	})
}

// pick finds who is asking: the name of the route, its turns, and whether they start over.
func (sc *Scenario) pick(body *requestBody) (name string, turns []Turn, loop bool) {
	for i := range sc.Routes {
		r := &sc.Routes[i]
		if r.re.MatchString(body.user(r.Where == "first_user")) {
			return r.Name, r.Turns, r.Loop
		}
	}
	if len(body.Tools) == 0 {
		return RouteSide, []Turn{{Text: sc.SideText}}, true
	}
	return RouteMain, sc.Main, false
}

// turn returns the i-th answer of a list.
func turn(turns []Turn, i int, loop bool) Turn {
	if loop && len(turns) > 0 {
		i %= len(turns)
	}
	if i < len(turns) {
		return turns[i]
	}
	return Turn{Text: "done"}
}

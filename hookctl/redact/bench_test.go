package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookline/hookctl/redact"
)

func event(stdout string) []byte {
	return marshal(map[string]any{
		"session_id": "043f0af5-9c27-45d8-a169-f3fdda0888b5", "hook_event_name": "PostToolUse", "tool_name": "Bash",
		"transcript_path": "/home/dev/.claude/projects/-project/043f0af5-9c27-45d8-a169-f3fdda0888b5.jsonl",
		"tool_input":      map[string]any{"command": "cat main.go", "description": "Show file"},
		"tool_response":   map[string]any{"stdout": stdout, "stderr": "", "interrupted": false},
		"tool_use_id":     "toolu_0001",
	})
}

// marshal writes JSON as the client does: <, > and & as they are.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func bench(b *testing.B, doc []byte) {
	r := redact.New()
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		r.JSON(doc)
	}
}

// The goal: at most 60 ms each; what is made to be slow may cost no more than a few times what is not.
func BenchmarkAdversarial(b *testing.B) {
	for name, unit := range hostile() {
		b.Run(name, func(b *testing.B) { bench(b, event(strings.Repeat(unit, 6<<20/len(unit)))) })
	}
}

// hostile are texts that, repeated, hit keywords as often as can be without being secrets, or hide no end.
func hostile() map[string]string {
	return map[string]string{
		"prose":        "the password, a token and key=\n",
		"assigned":     "password token key= password: token=\n",
		"one-line":     "password token key ",
		"letters":      "A",
		"glued":        "key-",
		"chain":        "my_key=",
		"chain-token":  "password=",
		"overlap":      "sk-",
		"dashes":       "--sk",
		"jwt":          "-eyJ",
		"quotes":       "x_key='y_key=`z_key=\"",
		"begin":        "-----BEGIN PRIVATE KEY-----\n",
		"end":          "-----END PRIVATE KEY-----\n",
		"urls":         "https://a:",
		"schemes":      "://",
		"flags":        "mysql -p curl -u ",
		"near":         "aws akia discord ",
		"backslashes":  `\`,
		"cookies":      "Cookie: a=b; ",
		"auth":         "Authorization: Bearer ",
		"names":        "name: X_TOKEN, ",
		"real-secrets": "API_KEY=" + fmt.Sprintf("%x", bytes.Repeat([]byte{7, 31}, 8)) + "\n",
	}
}

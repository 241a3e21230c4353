package events

import (
	"encoding/json"
	"fmt"
	"testing"

	"hookline/expect"
)

// What a command line is for and what it checks: words count, not text.
func TestRuns(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...": "[go test ./...] test",
		"cd sub && GOFLAGS=-mod=mod go vet ./... | tee": "[go vet ./...] lint, [tee] ",
		"go -C sub test -v ./...":                       "[go test ./...] test",
		"go run ./cmd":                                  "[go run ./cmd] ",
		"npm run test:unit -- --watch":                  "[npm run test:unit] test",
		"npm install jest":                              "[npm install jest] ",
		"python -m pytest tests":                        "[pytest tests] test",
		"uv run pytest":                                 "[pytest] test",
		"FOO=1 timeout 60 cargo +nightly clippy":        "[cargo clippy] lint",
		"make -j4 all 2>&1 | tail -5":                   "[make all] build, [tail] ",
		"make help":                                     "[make help] ",
		"./gradlew clean assemble":                      "[gradlew clean assemble] build",
		"mvn install":                                   "[mvn install] build",
		"ruff check .":                                  "[ruff check .] lint",
		"if go build ./...; then echo ok; fi":           "[go build ./...] build",
		"out=$(go test ./... 2>&1)":                     "[go test ./...] test",
		`echo "go test"`:                                "",
		"cat <<'EOF' > a.sh\ngo test ./...\nEOF":        "[cat] ",
		"cat <<EOF > a.sh\ntext\nEOF\ngo test ./...":    "[cat] , [go test ./...] test",
		"ls # then make\nmake":                          "[ls] , [make] build",
		"git log --oneline &> log; tox":                 "[git log] , [tox] test",
		"a \"b c\" d\\ e 'f\"g'":                        "[a b c d e f\"g] ",
		"a>out 3<in x && { b; }":                        "[a x] , [b] ",
		"a \\\n b":                                      "[a b] ",
		"x=$(date) ${HOME}/bin/run":                     "[date] , [run] ",
		"a <<< word b":                                  "[a b] ",
		"":                                              "",
		"\\":                                            "[\\] ",
		"'":                                             "",
	} {
		got := ""
		for i, run := range Runs(line) {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprint(run.Words, " ", run.Check)
		}
		expect.Equal(t, got, want, line)
	}
}

// A call's target: its file, what a command runs in whatever folder, else the tool.
func TestTarget(t *testing.T) {
	for _, c := range [][3]string{
		{"Edit", `{"file_path":"/w/a.go"}`, "/w/a.go"}, {"NotebookEdit", `{"notebook_path":"/w/a.ipynb"}`, "/w/a.ipynb"}, {"WebFetch", `{}`, "WebFetch"},
		{"Bash", `{"command":"cd /w/x && make all"}`, "make all"}, {"Bash", `{"command":"npm run build && npm test"}`, "npm run build"}, {"Bash", `{"command":"cd /w"}`, "Bash"},
		{"Bash", `{"command":"sort < in.txt; echo"}`, "sort"}, {"Bash", `{"command":"CC=gcc sudo make -j4 all"}`, "make all"}, {"Bash", `[]`, "Bash"},
	} {
		expect.Equal(t, CallOf(c[0], json.RawMessage(c[1])).Target(), c[2], c)
	}
}

// FuzzRuns: the split ends and never fails, whatever the line.
func FuzzRuns(f *testing.F) {
	for _, s := range []string{"a <<E\nb", `a "`, "a <<", "a >", "\\", "((", "a 2>&1|b", "<<<<"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, line string) { Runs(line) })
}

// A tool's input is read by the names of the client's tools.
func TestInputOf(t *testing.T) {
	in := InputOf(json.RawMessage(`{"file_path":"/w/a.go","notebook_path":"/w/n.ipynb","path":"/w","command":"ls","input":"i","content":"c",
		"old_string":"o","new_string":"n","new_source":"s","replace_all":true,"pattern":"p","url":"u","query":"q","skill":"k",
		"subagent_type":"t","plan":"l","project":"r","other":1}`))
	for _, c := range []struct {
		name    string
		content Content
		want    string
	}{
		{"file_path", in.FilePath, "/w/a.go"},
		{"notebook_path", in.NotebookPath, "/w/n.ipynb"},
		{"path", in.Path, "/w"},
		{"command", in.Command, "ls"},
		{"input", in.Input, "i"},
		{"content", in.Content, "c"},
		{"old_string", in.OldString, "o"},
		{"new_string", in.NewString, "n"},
		{"new_source", in.NewSource, "s"},
		{"pattern", in.Pattern, "p"},
		{"url", in.URL, "u"},
		{"query", in.Query, "q"},
		{"skill", in.Skill, "k"},
		{"subagent_type", in.SubagentType, "t"},
		{"plan", in.Plan, "l"},
		{"project", in.Project, "r"},
	} {
		if got := c.content.Text(); got != c.want {
			t.Errorf("%s = %q, want %q", c.name, got, c.want)
		}
	}
	if !in.All {
		t.Error("replace_all = false, want true")
	}
	if got := in.File(); got != "/w/a.go" {
		t.Errorf("File = %q, want the file_path", got)
	}
}

// The last of two members counts, and a name is the same however it is escaped: what a gate looks at is what the client runs.
func TestInputOfIsWhatTheClientReads(t *testing.T) {
	for _, input := range []string{`{"command":"ls","command":"make"}`, `{"\u0063ommand":"make"}`, `{"command":"ls","comm\u0061nd":"make"}`} {
		if got := InputOf(json.RawMessage(input)).Command.Text(); got != "make" {
			t.Errorf("command of %s = %q, want make", input, got)
		}
	}
}

func TestContentBesideTheLog(t *testing.T) {
	in := InputOf(json.RawMessage(`{"command":{"$blob":"sha256:00","size":9,"head":"ls -l"},"content":null,"file_path":7}`))
	if got := in.Command.Text(); got != "" {
		t.Errorf("Text of a reference = %q, want none", got)
	}
	if got := in.Command.Head(); got != "ls -l" {
		t.Errorf("Head of a reference = %q, want its head", got)
	}
	if in.Content.Given() {
		t.Error("null counts as given")
	}
	if got := in.FilePath.Head(); got != "" {
		t.Errorf("Head of a number = %q, want none", got)
	}
}

func TestReplacements(t *testing.T) {
	edit := InputOf(json.RawMessage(`{"old_string":"a","new_string":"b","replace_all":true}`))
	if got, want := fmt.Sprint(edit.Replacements("Edit")), "[{a b true}]"; got != want {
		t.Errorf("replacements of Edit = %s, want %s", got, want)
	}
	multi := InputOf(json.RawMessage(`{"edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":7,"replace_all":true}]}`))
	if got, want := fmt.Sprint(multi.Replacements("MultiEdit")), "[{a b false} {c  true}]"; got != want {
		t.Errorf("replacements of MultiEdit = %s, want %s", got, want)
	}
	if got := edit.Replacements("Write"); got != nil {
		t.Errorf("replacements of Write = %v, want none", got)
	}
}

// FuzzInputOf: of a valid object the reader finds what encoding/json finds; of anything else it ends.
func FuzzInputOf(f *testing.F) {
	for _, seed := range []string{`{"command":"ls","file_path":"a"}`, `{"comm\u0061nd":"x"}`, `{"command":{"$blob":"a","head":"b"}}`, `[]`, `{"command"`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := InputOf(data)
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return
		}
		var want string
		_ = json.Unmarshal(object["command"], &want) // what is no string makes ""
		if got := in.Command.Text(); got != want {
			t.Errorf("command of %q = %q, want %q", data, got, want)
		}
	})
}

// What a shell's command printed, in the forms in which clients give it back.
func TestOutputOf(t *testing.T) {
	for response, want := range map[string]Output{
		`{"stdout":"a","stderr":""}`:                     {Text: "a"},
		`{"stdout":"a","stderr":"b"}`:                    {Text: "a\nb"},
		`{"stdout":"","stderr":"b","interrupted":true}`:  {Text: "b", Interrupted: true},
		`{"stdout":"","backgroundTaskId":"b1"}`:          {Running: true},
		`"a text"`:                                       {Text: "a text"},
		`{"stdout":{"$blob":"x","head":"a","tail":"z"}}`: {Text: "a" + Gap + "z"},
		`{"$blob":"x","head":"a"}`:                       {Text: "a" + Gap},
		`[]`:                                             {},
		``:                                               {},
	} {
		if got := OutputOf(json.RawMessage(response)); got != want {
			t.Errorf("output of %s = %+v, want %+v", response, got, want)
		}
	}
}

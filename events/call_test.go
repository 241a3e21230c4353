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
		"if go build ./...; then echo ok; fi":           "[go build ./...] build, [fi] ",
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

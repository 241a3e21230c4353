package identity

import (
	"reflect"
	"testing"

	"hookline/expect"
)

func TestRunsChecks(t *testing.T) {
	for line, want := range map[string]bool{
		"go test ./...": true,
		"cd sub && GOFLAGS=-mod=mod go vet ./... | tee": true,
		"go -C sub test ./...":                          true,
		"go run ./cmd":                                  false,
		"npm run test:unit -- --watch":                  true,
		"npm install jest":                              false,
		"npm --prefix web run lint":                     true,
		"npx tsc --noEmit":                              true,
		"python -m pytest tests":                        true,
		"python3 manage.py test":                        true,
		"uv run pytest":                                 true,
		"bundle exec rspec":                             true,
		"timeout 60 cargo build --release":              true,
		"cargo +nightly clippy":                         true,
		"make -j4 all 2>&1 | tail -5":                   true,
		"./gradlew assemble":                            true,
		"if go build ./...; then echo ok; fi":           true,
		"out=$(go test ./... 2>&1)":                     true,
		"! golangci-lint run":                           true,
		`echo "go test"`:                                false,
		"cat <<'EOF' > a.sh\ngo test ./...\nEOF":        false,
		"cat <<EOF > a.sh\ntext\nEOF\ngo test ./...":    true,
		"ls # then make":                                false,
		"ls\nmake":                                      true,
		"git log --oneline &> log; tox":                 true,
		"":                                              false,
		"\\":                                            false,
		"'":                                             false,
		"A=1":                                           false,
	} {
		expect.Equal(t, runsChecks(simpleCommands(line)), want, line)
	}
}

func TestSimpleCommands(t *testing.T) {
	for line, want := range map[string][][]string{
		`a "b c" d\ e 'f"g'`:        {{"a", "b c", "d e", `f"g`}},
		"a && b || c; d & e | f":    {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}},
		"a 2>&1 >out <in x":         {{"a", "x"}},
		"a>out":                     {{"a"}},
		"a \\\n b":                  {{"a", "b"}},
		"x=$(date) ${HOME}/bin/run": {{"x=$"}, {"date"}, {"${HOME}/bin/run"}},
		"a ''":                      {{"a", ""}},
		"a <<< word b":              {{"a", "b"}},
		"a <<-E\n\tbody\n\tE\nb":    {{"a"}, {"b"}},
	} {
		if got := simpleCommands(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestSubject(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./a":                   "go test",
		"cd b && go test -v ./...":      "go test",
		"FOO=1 timeout 9 npm run build": "npm run",
		"python3 tools/x.py --all":      "x.py",
		"ls -l":                         "ls",
		"echo hello":                    "",
		"":                              "",
	} {
		expect.Equal(t, subject(simpleCommands(line)), want, line)
	}
}

// FuzzSimpleCommands: the split ends and never fails, whatever the line.
func FuzzSimpleCommands(f *testing.F) {
	for _, s := range []string{"a <<E\nb", `a "`, "a <<", "a >", "\\", "((", "a 2>&1|b", "<<<<"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, line string) {
		commands := simpleCommands(line)
		runsChecks(commands)
		subject(commands)
	})
}

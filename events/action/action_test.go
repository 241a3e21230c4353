package action

import (
	"strings"
	"testing"

	"hookline/events"
)

// of returns what the only command of a line does.
func of(t *testing.T, line string) Action {
	t.Helper()
	runs := events.Runs(line)
	if len(runs) == 0 {
		return Action{}
	}
	return Of(runs[len(runs)-1])
}

func TestKinds(t *testing.T) {
	for kind, lines := range map[Kind][]string{
		Check: {"go test ./...", "npm test", "npm t", "yarn lint:fix", "pnpm run typecheck", "python -m pytest tests", "uv run pytest -q", "npx eslint src", "cargo clippy", "mix test test/x_test.exs",
			"bash scripts/run_tests.sh", "python tools/test_upload.py", "/w/ci/lint.sh", "make lint", "prettier --check .", "cargo fmt --check", "just test-unit", "pre-commit run --all-files"},
		Build: {"make", "go build ./...", "tsc --noEmit", "tsc --noEmit -p .", "npx tsc -p web", "tsc -b packages/a", "npm run build:prod", "./gradlew clean assemble", "./scripts/build.sh", "node scripts/build.mjs", "cmake --build out"},
		Git: {"git checkout -b feature", "git -C sub switch main", "git -c user.name=x commit -m y", "git push -u origin feature", "git stash", "git merge main", "git cherry-pick abc", "git apply x.patch",
			"git add -A", "git rebase --continue", "gh pr create --fill", "git tag v1"},
		Install: {"npm ci", "npm i left-pad", "yarn", "yarn add x", "pnpm install --frozen-lockfile", "bun add x", "pip install -r requirements.txt", "python -m pip install x", "uv sync", "uv pip install x", "poetry add x",
			"bundle install", "cargo add serde", "go mod tidy", "go get x@latest", "sudo apt-get install -y jq", "brew install jq", "npx playwright install", "composer require x", "flutter pub get", "mix deps.get"},
		Deploy: {"docker build -t x .", "docker compose -f dev.yml up -d", "docker-compose up", "kubectl -n prod apply -f k8s", "terraform -chdir=infra plan", "terraform apply", "vercel --prod", "fly deploy", "gcloud run deploy api",
			"helm upgrade api ./chart", "npx wrangler deploy", "npx prisma migrate dev", "alembic upgrade head", "bundle exec rails db:migrate", "python manage.py migrate", "php artisan migrate", "npm publish", "make deploy", "./bin/deploy.sh staging"},
		Other: {"python test_x.py", "python tests/test_upload.py", "bash /tmp/check/scripts/test.sh", "bash /tmp/test_mime.sh", "node build.mjs", "./deploy.sh staging", "sh $TMPDIR/scripts/test.sh",
			"bash ~/scripts/test.sh", "ruby test.rb", "ls nope", "cat x", "grep -r x .", "which docker", "go version", "pytest --version", "npm run build --help", "npm ls", "npm view x", "curl -sf localhost:8080", "nc -z localhost 5432", "ps aux", "docker ps", "docker logs x",
			"git status", "git log --oneline", "git diff", "git show", "git branch -a", "git stash list", "git worktree list", "git tag -l", "git fetch", "gh pr view 3", "gh run list", "python -c 'import test; test.run()'", "node -e 'x'",
			"tsc --noEmit src/a.ts", "npx tsc --jsx react-jsx --skipLibCheck src/a.tsx | head", "python train.py", "npm run dev", "rm x", "npm run", "kubectl get pods", "go run ./cmd/x", "sed -n 1,2p x", "pytest --collect-only", "git push --dry-run", "vercel ls", "prisma migrate status", "git apply --check x.patch"},
	} {
		for _, line := range lines {
			if got := of(t, line).Kind; got != kind {
				t.Errorf("kind of %q = %q, want %q", line, got, kind)
			}
		}
	}
}

// A success mends what it contains, and nothing that is wider.
func TestMends(t *testing.T) {
	for _, c := range []struct {
		success, failure string
		want             bool
	}{
		{"go test ./...", "go test ./...", true},
		{"go test -race -count=1 ./...", "go test ./...", true},
		{"go test ./...", "go test ./up -run TestRetry", true},
		{"go test ./up/...", "go test ./up/client", true},
		{"go test ./up", "go test ./...", false},
		{"go test ./up/...", "go test ./upper", false},
		{"go test -run TestRetry ./...", "go test ./...", false},
		{"go test -short ./...", "go test ./...", false},
		{"go test .", "go test", true},
		{"go test ./up", "go test", false},
		{"go test ./...", "go build ./...", true},
		{"go build ./...", "go test ./...", false},
		{"go vet ./...", "go test ./...", false},
		{"pytest", "pytest tests/a.py::test_b", true},
		{"python -m pytest -q tests", "pytest tests/a.py", true},
		{"uv run pytest tests/a.py", "pytest tests/a.py::test_b", true},
		{"pytest tests/a.py", "pytest", false},
		{"pytest tests/a.py", "pytest tests/b.py", false},
		{"pytest -k retry", "pytest", false},
		{"pytest --maxfail 1 -n auto", "pytest", true},
		{"pytest -k retry", "pytest -k retry", true},
		{"npm run lint", "npm run lint:fix", true},
		{"pnpm lint", "npm run lint", true},
		{"npm run lint:fix", "npm run lint", false},
		{"npm test", "npm run test:unit", true},
		{"npm test", "npm run test:e2e", false},
		{"mise run test", "mise run test:ci", false},
		{"npm test", "npx jest src/a.test.ts", true},
		{"npm test", "npx jest", false},
		{"npm test", "go test ./up", false},
		{"make test", "go test -run TestRetry ./up", true},
		{"make lint", "go test -run TestRetry ./up", false},
		{"mise run test:ci", "go test -run TestRetry ./up", true},
		{"mise run test:unit", "go test -run TestRetry ./up", false},
		{"npm run build", "npx tsc -p web", true},
		{"ruff format .", "ruff format --check src", true},
		{"ruff format a.py", "ruff format --check a.py b.py", true},
		{"ruff check a.py", "ruff check a.py b.py", false},
		{"make verify", "make lint", true},
		{"make verify PY=python3", "make lint PY=.venv/bin/python", true},
		{"make verify", "make test:e2e", false},
		{"npm run ci", "npm test", true},
		{"make lint", "make verify", false},
		{"prettier --check src", "prettier --check src/a.ts", true},
		{"cargo fmt", "cargo fmt --check", true},
		{"npm run build:prod", "npm run build", false},
		{"npm test", "npm test -- src/a.test.ts", true},
		{"npm test -- src/a.test.ts", "npm test", false},
		{"npm run build", "npm run lint", false},
		{"npx eslint .", "npx eslint src/a.ts --max-warnings 0", true},
		{"npx tsc --noEmit -p .", "npx tsc --noEmit", true},
		{"npx tsc -p web", "npx tsc", false},
		{"cargo test", "cargo test retry", true},
		{"cargo test", "cargo build", true},
		{"cargo test --lib", "cargo test", false},
		{"./gradlew build", "gradle test", true},
		{"mvn verify", "mvn -q test", true},
		{"mvn test -Dtest=RetryTest", "mvn test", false},
		{"make", "make all", true},
		{"make lint", "make lint test", false},
		{"mix test", "mix test test/a_test.exs:12", true},
		{"bash scripts/test.sh", "./scripts/test.sh", false},

		{"git checkout main", "git checkout main", true},
		{"git switch main", "git checkout main", true},
		{"git checkout -b feature origin/main", "git switch feature", true},
		{"git checkout other", "git checkout main", false},
		{"git push -u origin feature", "git push", true},
		{"gh pr merge 7 --squash", "git push origin main --tags", true},
		{"gh pr merge 7 --squash", "git merge feature", true},
		{"gh pr merge 7 --squash --auto", "git push origin main", false},
		{"gh pr create --fill", "git push origin main", false},
		{"pnpm --filter @a/b test", "pnpm --filter @a/b test", true},
		{"pnpm --filter @a/b test", "pnpm --filter @a/c test", false},
		{"git push --force-with-lease", "git push", true},
		{"git pull", "git push", false},
		{"git commit -m x", "git commit -m y", true},
		{"git commit -m x", "git add .", true},
		{"git commit -m x", "git merge main", true},
		{"git merge --abort", "git merge main", true},
		{"git rebase --continue", "git rebase main", true},
		{"git rebase --abort", "git pull --rebase", true},
		{"git commit -m x", "git rebase main", false},
		{"git merge other", "git merge main", false},
		{"git status", "git merge main", false},
		{"gh pr create", "git push", false},

		{"npm ci", "npm install left-pad", true},
		{"pnpm install", "npm install", true},
		{"uv pip install x", "pip install x", true},
		{"pip install x", "npm install", false},
		{"npm test", "npm install", false},

		{"docker build .", "docker build -t x .", true},
		{"docker compose up -d", "docker compose up -d api", true},
		{"docker compose up api", "docker compose up", false},
		{"terraform apply", "terraform plan", true},
		{"terraform plan", "terraform apply", false},
		{"ls", "npm test", false},
	} {
		if got := of(t, c.success).Mends(of(t, c.failure)); got != c.want {
			t.Errorf("a success of %q mends a failure of %q = %t, want %t", c.success, c.failure, got, c.want)
		}
		if c.want && !of(t, c.success).MayMend(of(t, c.failure).Text) {
			t.Errorf("a success of %q may not mend a failure of %q", c.success, c.failure)
		}
	}
}

// Of a line the part counts that may have failed and leaves something to mend.
func TestFailed(t *testing.T) {
	for _, c := range []struct{ line, output, want string }{
		{"npm test", "Exit code 1\n1 failed", "npm test"},
		{"cd web && npm run lint && npm test", "Exit code 1\nx", "npm run lint && npm test"},
		{"go test ./... | grep FAIL", "Exit code 1", ""},
		{"npm test; ls nope", "Exit code 2\nls: cannot access 'nope': No such file or directory", ""},
		{"ls nope && npm test", "Exit code 2\nls: cannot access 'nope': No such file or directory", ""},
		{"cd nope && npm test", "Exit code 1\n/bin/bash: line 1: cd: nope: No such file or directory", ""},
		{"grep -q x y && npm test", "Exit code 1", ""},
		{"git stash && git checkout main", "Exit code 1\nfatal: unable to access", "git stash && git checkout main"},
		{"npm test && git commit -m x && git push", "Exit code 1\n3 failed", "npm test"},
		{"npm test && git commit -m x && git push", "Exit code 1\n ! [rejected] main -> main", "git push"},
		{"git add . && git commit -m x", "Exit code 1\nhook failed", "git commit -m x"},
		{"git checkout main && git branch -D x && git checkout -b y", "Exit code 1\nSwitched to branch 'main'\nerror: branch 'x' not found.", "git checkout -b y"},
		{"git add a.go && git rebase --continue", "Exit code 1\nerror: could not apply 4751067... x", "git rebase --continue"},
		{"pnpm --filter web exec biome check x.tsx", "Exit code 1\nERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"biome\" not found", ""},
		{"bun run lint", "Exit code 1\nerror: Script not found \"lint\"", ""},
		{"golangci-lint run --disable-all", "Exit code 3\nError: unknown flag: --disable-all", ""},
		{"make check", "Exit code 2\nmake: *** No rule to make target 'check'.  Stop.", ""},
		{"go build ./... && go test ./...", "Exit code 1\npattern ./...: directory prefix . does not contain main module or its selected dependencies", ""},
		{"python scripts/test_a.py", "Exit code 2\npython: can't open file '/w/scripts/test_a.py': [Errno 2] No such file or directory", ""},
		{"python scripts/test_a.py", "Exit code 1\nFileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", "python scripts/test_a.py"},
		{"python tests/test_a.py", "Exit code 1\nAssertionError", ""},
		{"bash scripts/test.sh", "Exit code 127\nbash: scripts/test.sh: No such file or directory", ""},
		{"gh repo create x", "Exit code 127\n/bin/bash: 行 1: gh: 未找到命令", ""},
		{"npm test; git push 2>&1", "Exit code 1\nfatal: x", "git push"},
		{"git pull && npm test", "Exit code 1\n3 failed", "npm test"},
		{"git commit -m x", "Exit code 1\nOn branch main\nnothing to commit, working tree clean", ""},
		{"pytest", "Exit code 127\n/bin/bash: line 1: pytest: command not found", ""},
		{"docker build . && docker push x", "Exit code 127\nzsh: command not found: docker", ""},
		{"npm run build", "Exit code 127\nsh: 1: tsc: not found", "npm run build"},
		{"FOO=1 timeout 60 npm test -- --grep 'a b'", "Exit code 1\nx", "timeout 60 npm test -- --grep 'a b'"},
		{"git commit -m \"fix\n\nit\"", "Exit code 1\nhook failed", "git commit -m"},
	} {
		var texts []string
		for _, a := range Failed(c.line, events.Runs(c.line), c.output) {
			texts = append(texts, a.Text)
		}
		if got := strings.Join(texts, " && "); got != c.want {
			t.Errorf("what failed of %q = %q, want %q", c.line, got, c.want)
		}
	}
}

// A line that did nothing, as its shell or its program says, leaves nothing to mend.
func TestNothingWasDone(t *testing.T) {
	for _, c := range []struct{ line, output, want string }{
		{"npm test -- (a)", "/bin/bash: -c: line 1: syntax error near unexpected token `('\n/bin/bash: -c: line 1: `npm test -- (a)'", ""},
		{"npm run build \"x", "bash: eval: line 5: unexpected EOF while looking for matching `\"'", ""},
		{"npm run build \"x", "/usr/bin/bash: -c: line 3: unexpected EOF while looking for matching `\"'", ""},
		{"npm test }", "(eval):1: parse error near `}'", ""},
		{"npm test !x", "zsh: event not found: x", ""},
		{"npm test ${x^^}", "(eval):1: bad substitution", ""},
		{"git add app/[id]/page.tsx", "(eval):1: no matches found: app/[id]/page.tsx", ""},
		{"npm run build && git add *.snap", "> shop@1.0.0 build\ndone\nzsh:1: no matches found: *.snap", ""},
		{"bash scripts/test.sh", "scripts/test.sh: line 3: syntax error near unexpected token `fi'", "bash scripts/test.sh"},
		{"npm test", "> shop@1.0.0 test\nsh: -c: line 0: syntax error near unexpected token `('\nnpm ERR! Test failed", "npm test"},
		{"npm test", "1) parses: parse error near line 3", "npm test"},

		{"git checkout feature", "error: pathspec 'feature' did not match any file(s) known to git", ""},
		{"git add template", "fatal: pathspec 'template' did not match any files", ""},
		{"git checkout -b fix", "fatal: a branch named 'fix' already exists", ""},
		{"git tag v1.0", "fatal: tag 'v1.0' already exists", ""},
		{"git commit -m x", "On branch main\nChanges not staged for commit:\n\nno changes added to commit (use \"git add\")", ""},
		{"git pull origin main", "Already up to date.", ""},
		{"git pull && git push", "Already up to date.\nfatal: The current branch x has no upstream branch.", "git push"},
		{"git pull && npm test", "Already up to date.\n3 failed", "npm test"},
		{"git push origin v1", "error: src refspec v1 does not match any", "git push origin v1"},
		{"git stash pop && git checkout x", "CONFLICT (content): Merge conflict in a.go\nerror: pathspec 'x' did not match", "git stash pop"},

		{"node scripts/build.mjs", "node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module '/w/web/scripts/build.mjs'", ""},
		{"node scripts/build.mjs", "Error: Cannot find module '/w/lib/parse.js'\nRequire stack:\n- /w/scripts/build.mjs", "node scripts/build.mjs"},

		{"./node_modules/.bin/vite build", "/usr/bin/bash: line 1: ./node_modules/.bin/vite: No such file or directory", ""},
		{"../node_modules/.bin/eslint src", "(eval):1: no such file or directory: ../node_modules/.bin/eslint", ""},
		{".venv/bin/pytest -q", "bash: .venv/bin/pytest: No such file or directory", ""},
		{"./node_modules/.bin/vite build", "error during build:\nError: ENOENT: no such file or directory, open 'index.html'", "vite build"},
	} {
		var texts []string
		for _, a := range Failed(c.line, events.Runs(c.line), "Exit code 1\n"+c.output) {
			texts = append(texts, a.Text)
		}
		if got := strings.Join(texts, " && "); got != c.want {
			t.Errorf("what failed of %q with %q = %q, want %q", c.line, c.output, got, c.want)
		}
	}
}

// The text of a command is read as the command itself.
func TestTextIsReadAgain(t *testing.T) {
	for _, line := range []string{"FOO=1 timeout 60 npm test -- --grep 'a b'", "uv sync", "python -m pytest -k 'a and b' tests", "./scripts/build.sh", "git commit -m \"a\nb\" -a", "yarn workspace web test", "go test -run '^TestA$' ./up"} {
		once := of(t, line)
		again := of(t, once.Text)
		if again.Text != once.Text || again.Kind != once.Kind {
			t.Errorf("the text of %q is read as %+v, want %+v", line, again, once)
		}
		if !again.Mends(once) || !once.Mends(again) {
			t.Errorf("the text of %q, %q, does not mend the command itself", line, once.Text)
		}
	}
}

func TestMissing(t *testing.T) {
	for _, c := range []struct{ line, output, want string }{
		{"docker ps", "/bin/bash: line 1: docker: command not found", "docker"},
		{"docker ps", "zsh: command not found: docker", "docker"},
		{"pnpm install; docker ps", "sh: 1: pnpm: not found\nsh: 1: docker: not found", "pnpm docker"},
		{"sudo foo", "sudo: foo: command not found", "foo"},
		{"timeout 5 foo", "timeout: failed to run command 'foo': No such file or directory", "foo"},
		{"python script.py", "bash: python: command not found", "python"},
		{"python --version", "bash: python: command not found", "python"},
		{"cat install.log", "bash: docker: command not found", ""},
		{"npm run build", "sh: 1: tsc: not found", ""},
		{"pnpm biome check src", "Exit code 254\n ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"biome\" not found", "biome"},
		{"yarn jest", "error Command \"jest\" not found.", "jest"},
		{"uv run ruff check", "error: Failed to spawn: `ruff`\n  Caused by: No such file or directory (os error 2)", "ruff"},
		{"poetry run pytest", "Command not found: pytest", "pytest"},
		{"ls nope", "ls: cannot access 'nope': No such file or directory", ""},
		{"go test ./...", "undefined: x not found", ""},
		{"gh repo create x", "Exit code 127\n/bin/bash: 行 1: gh: 未找到命令", "gh"},
		{"docker ps", "bash: Zeile 1: docker: Kommando nicht gefunden.", "docker"},
		{"cargo test", "Exit code 101\nerror: no tests found", ""},
	} {
		if got := strings.Join(Missing(c.line, events.Runs(c.line), c.output), " "); got != c.want {
			t.Errorf("programs that are missing for %q = %q, want %q", c.line, got, c.want)
		}
	}
}

// FuzzOf: any line is read to its end, and its text is one that is read again.
func FuzzOf(f *testing.F) {
	for _, line := range []string{"npm test -- x", "git checkout -", "make -C", "docker compose -f", "a 'b", "uv run"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, run := range events.Runs(line) {
			a := Of(run)
			a.Mends(a)
		}
	})
}

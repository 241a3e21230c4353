package action

import (
	"path"
	"slices"
	"strings"
)

// What a command is about: all that there is, or a part of it.

// folders are options that name the folder to work in.
var folders = strings.Fields("-C --prefix --dir --cwd --directory --manifest-path")

// selecting are options whose value selects a part: a test by its name, a package, a project.
var selecting = strings.Fields("-k -m -t -g -run --run -p --package --testNamePattern --test-name-pattern --grep --filter -F --project --spec --only --bin --test --tests " +
	"-bench --bench --testPathPattern --testPathPatterns --suite --testsuite --group -w --workspace -R --plain-name --name --tags -tags -pl -e --example -only-testing " +
	"--findRelatedTests --config -c -f --file --env --stage --target")

// alone are options without a value that select a part.
var alone = strings.Fields("-short --short --lib --lf --last-failed --ff --onlyChanged --changed --only-changed --doc --bins --unit --quick")

// gitValued are options of the subcommands of git whose value is the next word.
var gitValued = strings.Fields("-m -F --message --author --date -X -s --strategy --strategy-option --onto --depth --branch")

// globalValued are options before a subcommand whose value is the next word.
var globalValued = append(strings.Fields("-c -n --namespace --context --kubeconfig -f --file -p --project-name --profile --env-file --filter -F -w --workspace -H --git-dir "+
	"--work-tree --project --region --stack"), folders...)

// harmless are options behind a subcommand whose value is the next word, and that select nothing.
var harmless = strings.Fields("--reporter --maxWorkers --max-workers -n --timeout -timeout -o --output --tb --format --formatter --color --cov --log-level -j --jobs --max-warnings --ext " +
	"--cache-location -count -cpu -parallel -coverprofile --coverprofile --retries --retry --workers --shard --seed --device --outDir --outfile --threads --maxfail -W -r -b")

// option takes in an option at the beginning of some arguments, and returns how many of the next ones are its value.
func (a *Action) option(args []string, valued []string) int {
	name, value, inline := strings.Cut(args[0], "=")
	skip := 0
	takesValue := slices.Contains(valued, name) || slices.Contains(folders, name)
	if !inline && takesValue && len(args) > 1 {
		value = args[1]
		skip = 1
	}

	wholeProject := value == "." || value == "tsconfig.json" || isNumber(value)
	switch {
	case slices.Contains(folders, name):
		a.Folder = path.Join(a.Folder, strings.TrimSuffix(value, "/Cargo.toml"))
	case slices.Contains(alone, name):
		a.Select = append(a.Select, name)
	case slices.Contains(selecting, name) && !wholeProject, strings.HasPrefix(name, "-Dtest"):
		a.Select = append(a.Select, name+"="+value)
	default:
		a.Flags = append(a.Flags, name)
	}
	return skip
}

// valued returns the options behind the subcommand whose value is the next word.
func (a *Action) valued() []string {
	if a.Program == "git" {
		return gitValued
	}
	return ofOthers
}

// ofOthers are those of all programs but git.
var ofOthers = slices.Concat(selecting, harmless)

// scopeFrom takes in the arguments behind the subcommand. The word behind an option that is not known counts as its value where
// it looks like no path.
func (a *Action) scopeFrom(args []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" || isNumber(arg):
			a.Flags = append(a.Flags, arg)
		case strings.HasPrefix(arg, "-"):
			long := strings.HasPrefix(arg, "--") && !strings.Contains(arg, "=")
			skip := a.option(args[i:], a.valued())
			plain := i+1 < len(args) && !strings.ContainsAny(args[i+1], "/.:-")
			if skip == 0 && long && plain && !switches(arg) {
				skip = 1
			}
			i += skip
		case arg == "run" && len(a.Scope) == 0: // vitest run, biome ci run
		case a.byScript() && !strings.HasPrefix(arg, "./") && strings.Contains(arg, "="): // a variable of make
			a.Flags = append(a.Flags, arg)
		default:
			a.Scope = append(a.Scope, cleaned(arg))
		}
	}
	if a.Program == "go" && len(a.Scope) == 0 {
		a.Scope = []string{"."}
	}
}

// switches reports whether a long option is known to have no value.
func switches(option string) bool {
	return slices.Contains(strings.Fields("--watch --fix --verbose --silent --quiet --coverage --ci --noEmit --no-cache --release --workspace --all --all-targets --all-features "+
		"--nocapture --bail --no-verify --amend --force --hard --soft --ours --theirs --continue --abort --skip --quit --no-edit --ff-only --no-ff --staged --write --strict --delete --detach --create"), option)
}

// cleaned returns a path as it is compared: without "./" before it and a slash behind it.
func cleaned(name string) string {
	name = strings.TrimPrefix(name, "./")
	if name != "/" {
		name = strings.TrimSuffix(name, "/")
	}
	if name == "" {
		return "."
	}
	return name
}

// isNumber reports whether a word is a number: of jobs, seconds, retries.
func isNumber(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// contains reports whether a run of a says all that a run of b says: the same program and subcommand, or one that does that, too,
// about as much or more.
func (a Action) contains(b Action) bool {
	if a.isWhole() && a.Check == b.Check && b.isPart() && a.mayRun(b.Program) {
		return true
	}
	if a.Program == b.Program && a.checksAll() && b.Check != "" && !slices.Contains(beside, lastOf(b.Verb)) {
		return true
	}
	if a.Program != b.Program || !a.does(b) {
		return false
	}
	for _, s := range a.Select {
		if !slices.Contains(b.Select, s) {
			return false
		}
	}
	if len(a.Scope) == 0 {
		return true
	}
	if len(b.Scope) == 0 {
		return slices.ContainsFunc(a.Scope, a.isAll)
	}
	if a.formats() { // what was formatted is what the check had named
		return slices.ContainsFunc(b.Scope, func(part string) bool {
			return slices.ContainsFunc(a.Scope, func(whole string) bool { return a.covers(whole, part) })
		})
	}
	for _, part := range b.Scope {
		if !slices.ContainsFunc(a.Scope, func(whole string) bool { return a.covers(whole, part) }) {
			return false
		}
	}
	return true
}

// wider are the subcommands that do what another one does, and more.
var wider = map[string]string{
	"go build":           "test",
	"cargo check":        "build clippy test",
	"cargo build":        "test",
	"mvn compile":        "test package verify install deploy",
	"mvn test":           "package verify install deploy",
	"mvn package":        "verify install deploy",
	"mvn verify":         "install deploy",
	"gradle test":        "build check",
	"gradle assemble":    "build",
	"gradle check":       "build",
	"terraform validate": "plan apply",
	"terraform plan":     "apply",
	"pulumi preview":     "up",
}

// isWhole reports whether an action is the script by which a project runs all its tests, its lint or its build.
func (a Action) isWhole() bool {
	of, part, _ := strings.Cut(a.Verb, ":")
	isAll := part == "" || slices.Contains(strings.Fields("ci all full"), part)
	return a.byScript() && a.Check != "" && of == a.Check && isAll && len(a.Scope) == 0 && len(a.Select) == 0
}

// checksAll reports whether an action is a script whose name says that it runs all checks of the project.
func (a Action) checksAll() bool {
	names := strings.Fields("verify ci precommit pre-commit preflight validate")
	return a.byScript() && slices.Contains(names, a.Verb) && len(a.Scope) == 0 && len(a.Select) == 0
}

// lastOf returns what stands behind the last colon of a script's name.
func lastOf(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// formats reports whether an action is about the form of files alone.
func (a Action) formats() bool {
	return a.Verb == "format" || a.Verb == "fmt" || a.Program == "prettier" || a.Program == "black"
}

// isPart reports whether an action runs a tool itself, on a part of the project: `npx jest src/a.test.ts`.
func (a Action) isPart() bool {
	return !a.byScript() && len(a.Scope)+len(a.Select) > 0 && !slices.ContainsFunc(a.Scope, a.isAll)
}

// ofJavaScript are the tools that scripts of a package.json run.
var ofJavaScript = strings.Fields("ava biome cypress esbuild eslint jest mocha next oxlint playwright prettier stylelint tsc turbo vite vitest vue-tsc webpack")

// mayRun reports whether a script of the project may run a tool: those of JavaScript run its tools, others any.
func (a Action) mayRun(tool string) bool {
	switch a.Program {
	case "make", "just", "task", "mise":
		return true
	case "npm":
		return slices.Contains(ofJavaScript, tool)
	}
	return false
}

// byScript reports whether an action runs a script of the project by its name.
func (a Action) byScript() bool { return slices.Contains(scripted, a.Program) }

// beside are the ends of names of scripts that are no part of the script without it: `test` seldom runs `test:e2e`.
var beside = strings.Fields("e2e integration int ci all full prod production release smoke acceptance system perf load live")

// does reports whether the subcommand of a does what that of b does. A script is a part of the one whose name it has before a
// colon: `lint` does `lint:fix`.
func (a Action) does(b Action) bool {
	if a.Verb == b.Verb || slices.Contains(strings.Fields(wider[b.Program+" "+b.Verb]), a.Verb) {
		return true
	}
	part, isPart := strings.CutPrefix(b.Verb, a.Verb+":")
	return a.byScript() && a.Verb != "" && isPart && !slices.Contains(beside, part)
}

// isAll reports whether a path stands for all that there is below the folder.
func (a Action) isAll(name string) bool {
	return name == "..." || name == "." && a.Program != "go"
}

// covers reports whether one path contains another: a folder, a pattern of Go, a file with a test or a line of it.
func (a Action) covers(whole, part string) bool {
	if whole == part || a.isAll(whole) && !path.IsAbs(part) && !strings.HasPrefix(part, "..") {
		return true
	}
	if folder, ok := strings.CutSuffix(whole, "/..."); ok {
		return part == folder || strings.HasPrefix(part, folder+"/")
	}
	return a.Program != "go" && (strings.HasPrefix(part, whole+"/") || strings.HasPrefix(part, whole+":"))
}

// Package action says what a command of a shell does, as far as a failure of it leaves something to mend, and which later
// success mends it. Folds use it: it reads nothing but the command's words.
//
// A failure is open only where it is one of these kinds:
//
//	check    tests, lint, types
//	build    what compiles or packs
//	edit     a change of a file by a tool
//	git      what changes the repository
//	install  of packages, by a manager of packages
//	deploy   what brings a state to another machine, a container or a database
//
// Everything else is [Other]: looks (ls, cat, grep, which, --help, probes), scripts whose name says nothing, programs that are
// not known. Nothing of it is told as open, since nobody could say that it still has to be mended.
package action

import (
	"path"
	"slices"
	"strings"

	"hookline/events"
)

// Kind is what a command does.
type Kind string

// The kinds.
const (
	Other   Kind = ""
	Check   Kind = "check"
	Build   Kind = "build"
	Edit    Kind = "edit"
	Git     Kind = "git"
	Install Kind = "install"
	Deploy  Kind = "deploy"
)

// row lists programs and the subcommands of them that are of a kind. A subcommand of two words is both; "*" is any, "-" none at
// all, and "--check" any with that option.
type row struct {
	kind     Kind
	programs string
	verbs    string // separated by commas
}

// rows are looked at before what [events.Run] says of checks, the first that matches counts.
var rows = []row{
	{Check, "prettier black isort", "--check"},
	{Check, "cargo mix dart dotnet", "fmt, format"},

	{Git, "git", "add, am, apply, checkout, cherry-pick, clone, commit, merge, mv, pull, push, rebase, reset, restore, revert, rm, stash, submodule, switch, tag, worktree"},
	{Git, "gh", "pr create, pr merge, release create, repo create"},

	{Install, "npm pnpm yarn bun", "add, ci, dedupe, i, install, link, rebuild, remove, uninstall, update, upgrade"},
	{Install, "yarn", "-"},
	{Install, "playwright cypress puppeteer", "install, browsers install"},
	{Install, "pip conda mamba pipx", "install, uninstall, update, create, env create"},
	{Install, "uv poetry pdm rye hatch", "sync, add, remove, install, lock, update, tool install, python install, venv"},
	{Install, "bundle gem", "install, update, add"},
	{Install, "composer", "install, update, require, remove"},
	{Install, "cargo", "add, install, update, fetch"},
	{Install, "rustup", "component add, target add, toolchain install, install, update"},
	{Install, "go", "get, install, mod download, mod tidy, mod vendor"},
	{Install, "apt apt-get apk dnf yum brew choco winget", "install, add, update, upgrade, tap"},
	{Install, "flutter dart", "pub get, pub add, pub upgrade"},
	{Install, "mix", "deps.get, deps.update, deps.compile"},
	{Install, "dotnet", "restore, add, tool install"},
	{Install, "pod", "install, update"},
	{Install, "nvm fnm asdf volta mise", "install, use"},

	{Deploy, "docker", "build, buildx build, push, compose up, compose build, compose push, stack deploy"},
	{Deploy, "kubectl", "apply, create, rollout restart, rollout undo, scale"},
	{Deploy, "terraform tofu", "apply, plan, destroy, init, import"},
	{Deploy, "pulumi", "up, preview, destroy"},
	{Deploy, "helm", "install, upgrade, uninstall, rollback"},
	{Deploy, "helmfile", "apply, sync"},
	{Deploy, "ansible-playbook", "*"},
	{Deploy, "vercel netlify fly flyctl firebase wrangler serverless sls railway surge cdk sam render", "deploy, -, up, publish, pages deploy, d1 migrations"},
	{Deploy, "heroku", "container push, container release"},
	{Deploy, "gcloud", "app deploy, run deploy, functions deploy, builds submit"},
	{Deploy, "aws", "cloudformation deploy, s3 sync, lambda update-function-code, ecs update-service"},
	{Deploy, "az", "webapp deploy, webapp up, deployment group"},
	{Deploy, "npm pnpm yarn bun cargo", "publish"},
	{Deploy, "twine", "upload"},
	{Deploy, "prisma", "migrate dev, migrate deploy, migrate reset, db push"},
	{Deploy, "supabase", "db push, db reset, migration up, functions deploy"},
	{Deploy, "drizzle-kit", "push, migrate"},
	{Deploy, "knex sequelize typeorm", "migrate:latest, db:migrate, migration:run"},
	{Deploy, "alembic", "upgrade, downgrade"},
	{Deploy, "flyway liquibase dbmate goose", "migrate, update, up"},
	{Deploy, "rails rake", "db:migrate, db:setup, db:seed, db:rollback"},
	{Deploy, "manage.py", "migrate"},
	{Deploy, "mix", "ecto.migrate, ecto.reset, ecto.setup"},
	{Deploy, "artisan", "migrate"},
	{Deploy, "flask", "db upgrade"},
}

// byProgram has the rows of each program.
var byProgram = func() map[string][]row {
	table := map[string][]row{}
	for _, r := range rows {
		for _, program := range strings.Fields(r.programs) {
			table[program] = append(table[program], r)
		}
	}
	return table
}()

// named are the words in the name of a script, or of a target of make, that say what it does where nothing else does.
var named = map[string]Kind{
	"test": Check, "tests": Check, "lint": Check, "typecheck": Check, "build": Build, "compile": Build,
	"deploy": Deploy, "release": Deploy, "publish": Deploy, "migrate": Deploy, "migration": Deploy, "migrations": Deploy, "install": Install, "bootstrap": Install,
}

// aliases are other names of programs.
var aliases = map[string]string{
	"apt-get": "apt", "docker-compose": "docker", "gmake": "make", "gradlew": "gradle", "mvnw": "mvn", "pip3": "pip",
	"podman": "docker", "py.test": "pytest", "tofu": "terraform", "flyctl": "fly", "sls": "serverless",
}

// scripted are programs that run a script of a project by its name, or a target of its file; those of JavaScript share their scripts.
var scripted = strings.Fields("npm pnpm yarn bun make just task mise rake composer deno")

// javaScript are the managers of packages that share a project's scripts and packages.
var javaScript = strings.Fields("npm pnpm yarn bun")

// managers are those of Python's packages, which fill one environment.
var managers = strings.Fields("pip uv poetry pdm rye hatch conda mamba")

// owners are runners that have subcommands of their own.
var owners = strings.Fields("uv poetry pdm hatch rye bundle pipx mise")

// asking are arguments with which a command only says something of itself.
var asking = strings.Fields("--help --version -V --list --listTests --collect-only --co --dry-run --showConfig --print-config --show-config --check-only help")

// Action is what one command does.
type Action struct {
	Kind    Kind
	Check   string   // what a check or a build says something of: test, lint or build
	Program string   // without the folder and other names
	Verb    string   // the subcommand, the script or the target
	Scope   []string // what it is about: paths, packages, names; none for all that there is
	Select  []string // options that select a part of that, with their values
	Folder  string   // that an option names, "" for none
	Flags   []string // all other options
	Script  string   // file of a script that is called by its name, as the line names it; "" for others
	Text    string   // the command itself without variables, as it can be read again
}

// Of returns what a command does.
func Of(run events.Run) Action {
	program := run.Words[0]
	args := keptWords(run.Args)
	if program == "php" && len(args) > 0 && path.Base(args[0]) == "artisan" {
		program, args = "artisan", args[1:]
	}
	if owner := ownerOf(run.Lead); owner != "" && byProgram[program] == nil && run.Check == "" {
		args = append([]string{program}, args...)
		program = owner
	}
	if alias, ok := aliases[program]; ok {
		if program == "docker-compose" {
			args = append([]string{"compose"}, args...)
		}
		program = alias
	}

	a := Action{Program: program, Text: textOf(run)}
	if program == "gradle" || program == "mvn" {
		args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "clean" })
	}
	if strings.ContainsAny(program, " \t\n(;") || asks(args) { // the text of a script: python -c
		return a
	}
	a.Kind = a.read(run, args)
	return a
}

// ownerOf returns the last runner before a command where that has subcommands of its own and does not just run the command.
func ownerOf(lead []string) string {
	for _, word := range slices.Backward(lead) {
		if word == "run" || word == "exec" {
			return ""
		}
		if slices.Contains(owners, path.Base(word)) {
			return path.Base(word)
		}
	}
	return ""
}

// asks reports whether arguments only ask a program for what it would do or what it is.
func asks(args []string) bool {
	if len(args) == 1 && args[0] == "-h" {
		return true
	}
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(asking, arg) })
}

// read takes in the arguments and returns the kind.
func (a *Action) read(run events.Run, args []string) Kind {
	args = a.verbFrom(args)
	kind := a.listed(&args)
	switch {
	case kind != Other:
	case run.Check == "build":
		kind = Build
		a.Check = run.Check
	case run.Check != "":
		kind = Check
		a.Check = run.Check
	default:
		kind = a.byName(run)
	}
	if kind == Other {
		return Other
	}

	a.scopeFrom(args)
	switch {
	case kind == Git:
		return a.gitKind()
	case a.isProbe():
		return Other
	case a.Program == "make" && len(a.Scope) > 0: // several targets
		a.Verb += " " + strings.Join(a.Scope, " ")
		a.Scope = nil
	case slices.Contains(javaScript, a.Program) && kind != Install:
		if a.Verb == "" { // the list of scripts
			return Other
		}
		a.Program = "npm"
	}
	return kind
}

// isProbe reports whether an action is the compiler of TypeScript on single files: with a file it does not read the project's
// settings, and so finds errors that the project does not have.
func (a *Action) isProbe() bool {
	isCompiler := a.Program == "tsc" || a.Program == "vue-tsc"
	namesProject := a.has("-p", "--project", "-b", "--build") ||
		slices.ContainsFunc(a.Select, func(option string) bool {
			return strings.HasPrefix(option, "-p=") || strings.HasPrefix(option, "--project=")
		})
	return isCompiler && !namesProject && slices.ContainsFunc(a.Scope, isOfTypeScript)
}

// isOfTypeScript reports whether a word names a file that the compiler of TypeScript reads, or a pattern of such.
func isOfTypeScript(name string) bool {
	return slices.Contains(strings.Fields(".ts .tsx .mts .cts .js .jsx .mjs .cjs"), path.Ext(name))
}

// verbFrom takes the subcommand, with the options before it, and returns the arguments behind it.
func (a *Action) verbFrom(args []string) []string {
	hasVerb := slices.Contains(scripted, a.Program) || verbful(a.Program)
	if !hasVerb {
		return args
	}

	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case strings.HasPrefix(arg, "-"):
			i += a.option(args[i:], globalValued)
		case isNumber(arg):
		case (arg == "run" || arg == "run-script" || arg == "exec") && runsScripts(a.Program):
		case arg == "task" && a.Program == "deno":
		case arg == "workspace" && a.Program == "yarn" && i+1 < len(args):
			a.Select = append(a.Select, "--workspace="+args[i+1])
			i++
		case strings.Contains(arg, "="): // a variable of make
		default:
			a.Verb = arg
			if arg == "t" && slices.Contains(javaScript, a.Program) {
				a.Verb = "test"
			}
			return args[i+1:]
		}
	}
	if slices.Contains(scripted, a.Program) && !slices.Contains(javaScript, a.Program) {
		a.Verb = "all"
	}
	return nil
}

// runsScripts reports whether a program may have the word "run" before what it runs.
func runsScripts(program string) bool {
	return slices.Contains(scripted, program) || program == "nx" || program == "turbo"
}

// verbful reports whether a program has subcommands.
func verbful(program string) bool {
	listed := slices.ContainsFunc(byProgram[program], func(r row) bool { return r.verbs != "*" && r.verbs != "--check" })
	return listed || slices.Contains(subcommanded, program)
}

// subcommanded are programs whose first argument says what they do, beside those of the rows.
var subcommanded = strings.Fields("biome bazel buck2 buf cabal gradle meson mvn next nx rails ruff stack swift turbo vite zig golangci-lint")

// listed returns the kind of the rows, and takes a second word of the subcommand from the arguments.
func (a *Action) listed(args *[]string) Kind {
	for _, r := range byProgram[a.Program] {
		for verb := range strings.SplitSeq(r.verbs, ", ") {
			first, second, two := strings.Cut(verb, " ")
			none := verb == "-" && a.Verb == ""
			withOption := verb == "--check" && slices.Contains(*args, verb)
			if first != a.Verb && verb != "*" && !none && !withOption {
				continue
			}
			if !two {
				return r.kind
			}
			if rest, ok := behind(*args, second); ok {
				a.Verb = verb
				*args = rest
				return r.kind
			}
		}
	}
	return Other
}

// behind returns the arguments behind the first one that is no option, where that is a word.
func behind(args []string, word string) ([]string, bool) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == word:
			return args[i+1:], true
		case slices.Contains(globalValued, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return nil, false
		}
	}
	return nil, false
}

// byName returns the kind that the name of a script or a target says. Of a script that is called by its file only one in a folder
// for the scripts of a project has a kind: others are thrown away far more often than they check the project.
func (a *Action) byName(run events.Run) Kind {
	name := a.Verb
	switch {
	case slices.Contains(scripted, a.Program):
	case slices.Contains(shells, a.Program) && len(run.Words) > 1:
		a.Script = run.Words[1]
		name = path.Base(a.Script)
		a.Verb = name
	case isScript(a.Program):
		a.Script = run.Path
		name = a.Program
	default:
		return Other
	}
	if a.Script != "" && !isOfProject(a.Script) {
		return Other
	}

	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":-_./", r) }) {
		if kind := named[word]; kind != Other {
			return kind
		}
	}
	return Other
}

// scriptFolders are the names of folders in which a project keeps its scripts.
var scriptFolders = strings.Fields("scripts script bin tools hack ci")

// temporary are the beginnings of folders for temporary files, and of names that a shell expands to a folder nobody knows.
var temporary = strings.Fields("/tmp/ /var/tmp/ /private/ /var/folders/ $ ~")

// isOfProject reports whether the file of a script lies below a folder in which a project keeps its scripts.
func isOfProject(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	isTemporary := slices.ContainsFunc(temporary, func(folder string) bool { return strings.HasPrefix(file, folder) })
	if isTemporary || strings.Contains(file, "/Temp/") {
		return false
	}
	above := strings.Split(path.Dir(file), "/")
	return slices.ContainsFunc(above, func(name string) bool { return slices.Contains(scriptFolders, name) })
}

// shells are programs that run the script that they are given.
var shells = strings.Fields("bash sh zsh node tsx ts-node ruby perl php")

// isScript reports whether a program is a file of a language of scripts.
func isScript(program string) bool {
	return slices.Contains(strings.Fields(".sh .bash .py .js .mjs .cjs .ts .rb .pl .php"), path.Ext(program))
}

// Bounds of the text of an action.
const (
	maxWord = 120
	maxText = 300
)

// keptWords returns the arguments of a command without texts of their own, as the message of a commit, and without what is behind
// a bound.
func keptWords(args []string) []string {
	var kept []string
	size := 0
	for _, word := range args {
		isText := len(word) > maxWord || strings.ContainsAny(word, "\n\r'")
		if isText {
			continue
		}
		size += len(word) + 1
		if size > maxText {
			break
		}
		kept = append(kept, word)
	}
	return kept
}

// textOf returns a command with the words that are kept and without variables.
func textOf(run events.Run) string {
	var words []string
	for _, word := range run.Lead {
		if !strings.Contains(word, "=") {
			words = append(words, quoted(word))
		}
	}
	program := run.Words[0]
	if isScript(program) {
		program = run.Path
	}
	words = append(words, quoted(program))
	for _, word := range keptWords(run.Args) {
		words = append(words, quoted(word))
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if strings.ContainsAny(word, " \t\"\\$`;&|<>(){}#*") {
		return "'" + word + "'"
	}
	return word
}

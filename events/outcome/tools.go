package outcome

// The table of tools.

// tool is one row: what a tool prints.
type tool struct {
	name     string
	programs string // that print as this tool does
	kinds    string // what its passing summary proves: test, build, lint
	silent   string // first words of the commands that print nothing where all is well, "*" for all
	parts    bool   // it prints a summary for each part, and the last one does not stand for all
	last     bool   // of its counts the last line has the sum

	failing []mark // lines of a failing check
	passing []mark // summaries of a passing one
	counts  []counter
	telling []told // what says why it failed, the best first
}

// tools are the rows. A command of a program that is in none of them may print as any.
var tools = concat(goTools, rustTools, pythonTools, scriptTools, webTools)

func concat(lists ...[]tool) []tool {
	var all []tool
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// shell is what a shell prints for a program that it does not find.
var shell = tool{
	name:    "shell",
	failing: []mark{weak(like("command not found", `^(?:/?\w+/)?(?:ba|z|da|k)?sh: .*command not found`)), weak(like(": not found", `^(?:/bin/)?sh: \d+: \S+: not found`))},
	telling: []told{{like("not found", `^(.*\S: (?:command )?not found.*)$`)}},
}

var goTools = []tool{
	{
		name: "go", programs: "go gotestsum", kinds: "test build", silent: "build vet install", parts: true,
		failing: []mark{
			like("FAIL", `^FAIL(?:\t|$)`),
			weak(like("--- FAIL: ", `^\s*--- FAIL: `)),
			weak(like(".go:", `^(?:vet: )?[^\s:]+\.go:\d+:\d+: `)),
			weak(begins("panic: ")),
			weak(like("go: ", `^go: (?:cannot|updates|errors?|module|go\.mod|inconsistent|no )`)),
			weak(like(`"Action":"fail"`, `^\{.*"Action":"fail"`)),
		},
		passing: []mark{like("ok  \t", `^ok  \t`), like("[no test files]", `\t\[no test files\]$`), like("PASS", `^PASS$`)},
		telling: []told{
			{like("--- FAIL: ", `^\s*--- FAIL: (\S+)`), like("Error:", `^\s+Error: +\t?(\S.*)$`), like("expected", `^\s*(expected\s*: .*)$`), like("actual", `^\s*(actual\s*: .*)$`)},
			{like("--- FAIL: ", `^\s*--- FAIL: (\S+)`), like("Error:", `^\s+Error: +\t?(\S.*)$`)},
			{like("--- FAIL: ", `^\s*--- FAIL: (\S+)`), like(".go:", `^\s+(\S+\.go:\d+: \S.*)$`)},
			{like(".go:", `^((?:vet: )?[^\s:]+\.go:\d+:\d+: .+)$`)},
			{like("panic: ", `^(panic: .+)$`)},
			{like("--- FAIL: ", `^\s*(--- FAIL: .+)$`)},
			{like(".go:", `^\s+(\S+\.go:\d+: \S.*)$`)},
			{like("go: ", `^(go: .+)$`)},
			{like("FAIL\t", `^(FAIL\t.+)$`)},
		},
	},
	{
		name: "golangci-lint", programs: "golangci-lint staticcheck", kinds: "lint", silent: "*",
		failing: []mark{
			like(" issues:", `^[1-9]\d* issues:$`),
			weak(like(".go:", `^[^\s:]+\.go:\d+:\d+: `)),
			weak(like("level=error", `^level=error `)),
		},
		passing: []mark{like("0 issues.", `^0 issues\.$`)},
		telling: []told{{like(".go:", `^([^\s:]+\.go:\d+:\d+: .+)$`)}, {like("level=error", `^(level=error .+)$`)}},
	},
}

// panicked matches where a thread panicked; what it says stands on the next line.
var panicked = like("panicked at ", `^thread '(.+?)' (?:\(\d+\) )?panicked at ([^'].*?):?$`)

// rustTelling is what tests of Rust and its compiler say.
var rustTelling = []told{
	{panicked, next, like("left: ", `^\s+(left: .+)$`), like("right: ", `^\s+(right: .+)$`)},
	{panicked, next},
	{like("' panicked at ", `^thread '(.+?)' panicked at '(.+)$`)},
	{like("error", `^(error(?:\[E\d+\])?: .+)$`), like("--> ", `^\s*--> (.+)$`)},
	{like("error", `^(error(?:\[E\d+\])?: .+)$`)},
}

var rustTools = []tool{
	{
		name: "cargo test", programs: "cargo", kinds: "test", parts: true,
		failing: []mark{
			like("test result: FAILED", `^test result: FAILED\.`),
			like("error: ", `^error: (?:test failed|\d+ targets? failed|could not compile|doctest failed)`),
			weak(like("error", `^error(?:\[E\d+\])?: `)),
			weak(like("... FAILED", `^test .+ \.\.\. FAILED$`)),
			weak(like("' panicked at ", `^thread '.+' (?:\(\d+\) )?panicked at `)),
		},
		passing: []mark{like("test result: ok.", `^test result: ok\. `)},
		counts:  []counter{words(like("test result: ", `^test result: (?:ok|FAILED)\. `))},
		telling: rustTelling,
	},
	{
		name: "cargo nextest", programs: "cargo", kinds: "test",
		failing: []mark{
			like(" run: ", `^\s*Summary .* tests? run: .*[1-9]\d* (?:failed|timed out)`),
			like("error: test run failed", `^error: test run failed`),
		},
		passing: []mark{like(" run: ", `^\s*Summary .* tests? run: \d+ passed`)},
		counts:  []counter{words(like(" run: ", `^\s*Summary .* tests? run: `))},
		telling: rustTelling,
	},
	{
		name: "cargo build", programs: "cargo rustc", kinds: "build lint",
		failing: []mark{
			like("error: ", `^error: (?:could not compile|aborting due to|no such command|unrecognized subcommand)`),
			weak(like("error", `^error(?:\[E\d+\])?: `)),
			weak(like("Diff in ", `^Diff in .+:\d+:?$`)),
		},
		passing: []mark{like("Finished ", "^\\s+Finished `?[\\w-]+`? ")},
		telling: []told{
			{like("error", `^(error(?:\[E\d+\])?: .+)$`), like("--> ", `^\s*--> (.+)$`)},
			{like("error", `^(error(?:\[E\d+\])?: .+)$`)},
			{like("Diff in ", `^(Diff in .+)$`)},
		},
	},
}

var pythonTools = []tool{
	{
		name: "pytest", programs: "pytest py.test coverage tox nox", kinds: "test",
		failing: []mark{
			like(" failed", `^=* ?(?:\d+ \w+, )*[1-9]\d* failed\b.* in [\d.]+s`),
			like(" error", `^=* ?(?:\d+ \w+, )*[1-9]\d* errors?\b.* in [\d.]+s`),
			like("Required test coverage", `^(?:FAIL|ERROR:?) .*Required test coverage`),
			weak(like("FAILED ", `^FAILED \S+(?:::| - )`)),
			weak(like("ERROR ", `^ERROR \S+\.py\b`)),
			weak(like("ERROR: ", `^ERROR: (?:not found|file or directory not found|usage|found no collectors)`)),
			weak(begins("INTERNALERROR>")),
		},
		passing: []mark{like(" passed", `^=* ?\d+ passed\b.* in [\d.]+s`)},
		counts:  []counter{words(like(" in ", `^=* ?\d+ (?:failed|passed|skipped|errors?|xfailed|xpassed|deselected|warnings?)\b.* in [\d.]+s`))},
		telling: []told{
			{like("FAILED ", `^FAILED (\S+::.+ - .+)$`)},
			{like("___", `^_{3,} (.+?) _{3,}$`), like("E ", `^E +(\S.*)$`)},
			{like("ERROR ", `^ERROR (\S+ - .+)$`)},
			{like("E ", `^E +(\S.*)$`)},
			{like("FAILED ", `^FAILED (\S+::.+)$`)},
			{like("ERROR", `^(ERROR:? .+)$`)},
			{like("Required test coverage", `^((?:FAIL|ERROR).+)$`)},
		},
	},
	{
		name: "unittest", programs: "unittest manage.py", kinds: "test",
		failing: []mark{like("FAILED (", `^FAILED \((?:.*, )?(?:failures|errors|unexpected successes)=\d`)},
		passing: []mark{beside("\nRan ", like("OK", `^OK(?: \(.+\))?$`))},
		counts:  []counter{words(like("Ran ", `^Ran \d+ tests? in `)), keys(like("FAILED (", `^FAILED \(`)), keys(like("OK (", `^OK \(`))},
		telling: []told{
			{like(": ", `^(?:FAIL|ERROR): (.+)$`), like("Error", `^(\w*(?:Error|Exception)\b.*)$`)},
			{like(": ", `^((?:FAIL|ERROR): .+)$`)},
		},
	},
}

var scriptTools = []tool{
	{
		name: "npm", programs: "npm pnpm yarn bun", kinds: "test build lint",
		failing: []mark{
			like("ELIFECYCLE", `^(?:npm (?:ERR!|error) code| *) ?ELIFECYCLE\b`),
			like("npm ", `^npm (?:ERR!|error) (?:Test failed|Lifecycle script|Missing script|code \w+|could not determine)`),
			like("Command failed with exit code", `^error Command failed with exit code `),
			like("ERR_PNPM_", `^ *ERR_PNPM_`),
			like("error: ", `^error: (?:script "[^"]+" (?:exited|was terminated)|Script not found)`),
			like("Usage Error: ", `^Usage Error: Couldn't find a script named`),
			like("error Command ", `^error Command "[^"]+" not found`),
		},
		passing: []mark{like("Done in ", `^(?:✨ +)?Done in [\d.]+m?s\.?$`)},
		telling: []told{{like("issing script", `^.*([Mm]issing script:? .+)$`)}, {like("find a script", `^(?:Usage Error: )?(.+)$`)}, {like("not found", `^error (.+not found.*)$`)}},
	},
}

var webTools = []tool{
	{
		name: "jest", programs: "jest", kinds: "test",
		failing: []mark{
			like("Tests:", `^\s*Tests: +(?:\d+ \w+, )*[1-9]\d* failed`),
			like("Test Suites:", `^Test Suites: +(?:\d+ \w+, )*[1-9]\d* failed`),
			like("coverage threshold", `^Jest: .*coverage threshold`),
			weak(like("FAIL ", `^\s*FAIL +(?:\S+ +)?\S+\.\w+`)),
		},
		passing: []mark{like("Tests:", `^\s*Tests: +(?:\d+ (?:skipped|todo|pending|risky|incomplete|warnings?), )*\d+ passed`)},
		counts:  []counter{words(like("Tests:", `^\s*Tests: +\d+ [a-z]+`))},
		telling: []told{
			{like("● ", `^\s*● (.+ › .+)$`), like("Expected", `^\s+(Expected[^:]*: .+)$`), like("Received", `^\s+(Received[^:]*: .+)$`)},
			{like("● ", `^\s*● (.+ › .+)$`), next},
			{like("● ", `^\s*● (Test suite failed.*)$`), next},
			{like("● ", `^\s*● ([^C].*)$`), next},
			{like("coverage threshold", `^(Jest: .+)$`)},
			{like("FAIL ", `^\s*FAIL +(\S.+)$`)},
			{like("Tests:", `^\s*(Tests: .+)$`)},
		},
	},
	{
		name: "vitest", programs: "vitest", kinds: "test",
		failing: []mark{
			like("Tests ", `^\s*Tests +(?:\d+ \w+ \| )*[1-9]\d* failed`),
			like("Test Files ", `^\s*Test Files +(?:\d+ \w+ \| )*[1-9]\d* failed`),
			like("Errors ", `^\s*Errors +[1-9]\d* errors?$`),
			weak(like("FAIL ", `^\s*(?:❯ )?FAIL +\S+`)),
		},
		passing: []mark{like("Tests ", `^\s*Tests +(?:\d+ (?:skipped|todo|expected fail) \| )*\d+ passed`)},
		counts:  []counter{words(like("Tests ", `^\s*Tests +\d+ [a-z]+.*\(\d+\)$`))},
		telling: []told{
			{like("FAIL ", `^\s*FAIL +(\S.* > .+)$`), like("Error", `^\s*(\w*Error\b.*)$`)},
			{like("FAIL ", `^\s*FAIL +(\S.+)$`), like("Error", `^\s*(\w*Error\b.*)$`)},
			{like("FAIL ", `^\s*FAIL +(\S.+)$`)},
			{like("× ", `^\s*(× .+)$`)},
			{like("Error: ", `^(\w*Error: .+)$`)},
			{like("Tests ", `^\s*(Tests .+)$`)},
		},
	},
	{
		name: "bun", programs: "bun", kinds: "test",
		failing: []mark{like(" fail", `^\s*[1-9]\d* fail$`), like(" error", `^\s*[1-9]\d* errors?$`), weak(begins("(fail) "))},
		passing: []mark{like(" fail", `^\s*0 fail$`)},
		counts:  []counter{words(like(" pass", `^\s*\d+ pass$`)), words(like(" fail", `^\s*\d+ fail$`)), words(like(" skip", `^\s*\d+ skip$`))},
		telling: []told{
			{like("error: ", `^(error: .+)$`), like("Expected", `^\s*(Expected: .+)$`), like("Received", `^\s*(Received: .+)$`)},
			{like("(fail) ", `^\(fail\) (.+)$`)},
		},
	},
	{
		name: "mocha", programs: "mocha cypress", kinds: "test",
		failing: []mark{
			like(" failing", `^\s+[1-9]\d* failing$`),
			like(" failed (", `✖ +\d+ of \d+ failed \(`),
		},
		passing: []mark{like(" passing (", `^\s+\d+ passing \(`), like("All specs passed!", `All specs passed!`)},
		counts:  []counter{words(like(" passing (", `^\s+\d+ passing \(`)), words(like(" failing", `^\s+\d+ failing$`)), words(like(" pending", `^\s+\d+ pending$`))},
		telling: []told{
			{like(" failing", `^\s+\d+ failing$`), like("1) ", `^\s+1\) (.+)$`), like("Error", `^\s*(\w*Error\b.*)$`)},
			{like(" failing", `^\s+\d+ failing$`), like("1) ", `^\s+1\) (.+)$`)},
		},
	},
	{
		name: "tsc", programs: "tsc vue-tsc", kinds: "build lint", silent: "*",
		failing: []mark{like("error TS", `^(?:.+\(\d+,\d+\): |.+:\d+:\d+ - )?error TS\d+: `)},
		passing: []mark{like("Found 0 errors", `Found 0 errors\.`)},
		counts:  []counter{words(like("Found ", `^Found \d+ errors?(?: in |\.)`))},
		telling: []told{{like("error TS", `^(.*error TS\d+: .+)$`)}},
	},
	{
		name: "biome", programs: "biome", kinds: "lint",
		failing: []mark{like("Found ", `^Found [1-9]\d* errors?\.$`), like("Some errors were emitted", `^\s*× Some errors were emitted while`)},
		passing: []mark{like("Checked ", `^Checked \d+ files? in \S+\. (?:No fixes applied|Fixed \d+ files?)\.$`)},
		telling: []told{{like(" lint/", `^(\S+:\d+:\d+ lint/.*)$`), like("× ", `^\s*× (.+)$`)}, {like("× ", `^\s*× ([^S].+)$`)}},
	},
	{
		name: "eslint", programs: "eslint stylelint", kinds: "lint", silent: "*",
		failing: []mark{
			like(" problem", `^✖ \d+ problems? \([1-9]\d* errors?`),
			like("too many warnings", `^ESLint found too many warnings`),
			like("Oops! ", `^Oops! Something went wrong`),
			weak(like("error", `^\s+\d+:\d+\s+(?:error|Error:)\s`)),
		},
		passing: []mark{like(" problem", `^✖ \d+ problems? \(0 errors, `), like("No ESLint ", `No ESLint warnings or errors`)},
		counts:  []counter{words(like(" problem", `^✖ \d+ problems? \(`))},
		telling: []told{
			{like("error", `^\s+(\d+:\d+\s+(?:error|Error:)\s.+)$`)},
			{like("too many warnings", `^(ESLint found .+)$`)},
			{like("Oops! ", `^Oops! Something went wrong`), next, next},
		},
	},
}

package outcome

// What tools of Python print.

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
	{
		name: "tox", programs: "tox nox", kinds: "test lint build", parts: true,
		failing: []mark{
			like("evaluation failed", `^\s*evaluation failed :\(`),
			like(": FAIL ", `^\s*\S+: FAIL (?:code \d+|✖)`),
			like("nox > Session ", `^nox > Session \S+ (?:failed|aborted)`),
		},
		passing: []mark{like("congratulations", `^\s*congratulations :\)`), like("nox > Session ", `^nox > Session \S+ was successful`)},
		telling: []told{{like(": FAIL ", `^\s*(\S+: FAIL .+)$`)}, {like("nox > ", `^nox > (Command .+ failed .+)$`)}, {like("nox > Session ", `^nox > (Session \S+ failed.*)$`)}},
	},
	{
		name: "ruff", programs: "ruff", kinds: "lint",
		failing: []mark{
			like("Found ", `^Found [1-9]\d* errors?(?:\.$| \(\d+ fixed, [1-9]\d* remaining\))`),
			like("would be reformatted", `^\d+ files? would be reformatted`),
			like("error: ", `^error: (?:Failed to|Invalid|unrecognized)`),
		},
		passing: []mark{
			like("All checks passed!", `^All checks passed!`),
			like("Found ", `^Found \d+ errors? \(\d+ fixed, 0 remaining\)`),
			like("already formatted", `^\d+ files? already formatted`),
			like("left unchanged", `^(?:\d+ files? reformatted, )?\d+ files? left unchanged`),
		},
		counts: []counter{words(like("Found ", `^Found \d+ errors?\.$`))},
		telling: []told{
			{like(":", `^([^\s:]+\.pyi?:\d+:\d+: .+)$`)},
			{like("-->", `^\s*--> (\S+)$`)},
			{like("Would reformat", `^(Would reformat: .+)$`)},
			{like("error: ", `^(error: .+)$`)},
		},
	},
	{
		name: "black", programs: "black isort", kinds: "lint",
		failing: []mark{like("would be reformatted", `^\d+ files? would be reformatted`), like("failed to reformat", `\d+ files? (?:failed|would fail) to reformat`), like("ERROR: ", `^ERROR: \S+ Imports are incorrectly sorted`)},
		passing: []mark{like("left unchanged", `^(?:\d+ files? reformatted, )?\d+ files? (?:would be )?left unchanged\.`)},
		telling: []told{{like("would reformat", `^(would reformat .+)$`)}, {like("error: ", `^(error: .+)$`)}, {like("ERROR: ", `^(ERROR: .+)$`)}},
	},
	{
		name: "mypy", programs: "mypy", kinds: "lint",
		failing: []mark{like("Found ", `^Found \d+ errors? in \d+ files?`), weak(like(": error: ", `^[^\s:]+\.pyi?:\d+:(?:\d+:)? error: `))},
		passing: []mark{like("Success: no issues", `^Success: no issues found`)},
		counts:  []counter{words(like("Found ", `^Found \d+ errors? in \d+ files?`))},
		telling: []told{{like(": error: ", `^([^\s:]+:\d+:(?:\d+:)? error: .+)$`)}},
	},
	{
		name: "pyright", programs: "pyright basedpyright", kinds: "lint",
		failing: []mark{like(" error", `^[1-9]\d* errors?, \d+ warnings?`)},
		passing: []mark{like("0 errors", `^0 errors, \d+ warnings?`)},
		counts:  []counter{words(like(" warning", `^\d+ errors?, \d+ warnings?`))},
		telling: []told{{like(" - error: ", `^\s*(\S+:\d+:\d+ - error: .+)$`)}},
	},
	{
		name: "flake8", programs: "flake8 pylint yamllint sqlfluff bandit ty", kinds: "lint", silent: "*",
		failing: []mark{like(".py:", `^[^\s:]+\.py:\d+:\d+: [A-Z]+\d+:? `)},
		passing: []mark{like("rated at 10.00/10", `^Your code has been rated at 10\.00/10`)},
		telling: []told{{like(".py:", `^([^\s:]+\.py:\d+:\d+: .+)$`)}},
	},
	{
		name: "pre-commit", programs: "pre-commit", kinds: "lint", parts: true,
		failing: []mark{like("Failed", `\.{3,}Failed$`)},
		passing: []mark{like("Passed", `\.{3,}(?:\(.*\))?Passed$`)},
		telling: []told{{like("Failed", `^(.+?)\.{3,}Failed$`)}},
	},
}

package outcome

// What tools of JavaScript and its runners of scripts print.

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
	{
		name: "node --test", programs: "node", kinds: "test",
		failing: []mark{like(" fail ", `^(?:#|ℹ) fail [1-9]`), weak(like("not ok ", `^\s*not ok \d+ - `)), weak(like("failing tests:", `^✖ failing tests:`))},
		passing: []mark{like(" fail 0", `^(?:#|ℹ) fail 0$`)},
		counts: []counter{
			keys(like(" pass ", `^(?:#|ℹ) pass \d+$`)), keys(like(" fail ", `^(?:#|ℹ) fail \d+$`)),
			keys(like(" skipped ", `^(?:#|ℹ) skipped \d+$`)), keys(like(" todo ", `^(?:#|ℹ) todo \d+$`)),
		},
		telling: []told{
			{like("failing tests:", `^✖ failing tests:`), like("✖ ", `^\s*✖ (.+?)(?: \([\d.]+ms\))?$`), like("Error", `^\s*(\w*Error\b.*)$`)},
			{like("not ok ", `^\s*not ok \d+ - (.+)$`), like("error: ", `^\s+error: (.+)$`)},
			{like("not ok ", `^\s*not ok \d+ - (.+)$`)},
			{like(" fail ", `^(?:#|ℹ) (fail \d+)$`)},
		},
	},
	{
		name: "playwright", programs: "playwright", kinds: "test",
		failing: []mark{like(" failed", `^\s+[1-9]\d* failed$`), weak(like(") [", `^\s+\d+\) \[[\w -]+\] › `))},
		passing: []mark{like(" passed (", `^\s+\d+ passed \([\d.]+m?[sh]\)`)},
		counts: []counter{
			words(like(" passed (", `^\s+\d+ passed \([\d.]+m?[sh]\)`)), words(like(" failed", `^\s+\d+ failed$`)),
			words(like(" flaky", `^\s+\d+ flaky$`)), words(like(" skipped", `^\s+\d+ skipped$`)),
		},
		telling: []told{
			{like("1) [", `^\s+1\) (\[[\w -]+\] › .+?)[ ─]*$`), like("Error", `^\s+(\w*Error: .+)$`)},
			{like("1) [", `^\s+1\) (\[[\w -]+\] › .+?)[ ─]*$`)},
			{like("[", `^\s+(\[[\w -]+\] › .+?)[ ─]*$`)},
		},
	},
	{
		name: "bun test", programs: "bun", kinds: "test",
		failing: []mark{like(" fail", `^\s*[1-9]\d* fail$`), like(" error", `^\s*[1-9]\d* errors?$`), weak(like("(fail) ", `^\(fail\) `))},
		passing: []mark{like(" fail", `^\s*0 fail$`)},
		counts:  []counter{words(like(" pass", `^\s*\d+ pass$`)), words(like(" fail", `^\s*\d+ fail$`)), words(like(" skip", `^\s*\d+ skip$`)), words(like(" todo", `^\s*\d+ todo$`))},
		telling: []told{
			{like("error: ", `^(error: .+)$`), like("Expected", `^(Expected.*: .+)$`), like("Received", `^(Received.*: .+)$`)},
			{like("error: ", `^(error: .+)$`)},
			{like("(fail) ", `^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$`)},
		},
	},
	{
		name: "ava", programs: "ava", kinds: "test",
		failing: []mark{like(" failed", `^\s+[1-9]\d* tests? failed$`), like("uncaught exception", `^\s+\d+ uncaught exceptions?$`)},
		passing: []mark{like(" passed", `^\s+\d+ tests? passed$`)},
		counts:  []counter{words(like(" passed", `^\s+\d+ tests? passed$`)), words(like(" failed", `^\s+\d+ tests? failed$`)), words(like(" skipped", `^\s+\d+ tests? skipped$`))},
		telling: []told{{like("✘ ", `^\s*✘ (?:\[fail\]: )?(.+)$`)}},
	},
	{
		name: "deno", programs: "deno", kinds: "test lint build",
		failing: []mark{like("FAILED | ", `^FAILED \| \d+ passed`), like("error: ", `^error: (?:Test failed|Type checking failed|Found \d+ not formatted)`), like("Found ", `^Found [1-9]\d* problems?$`), weak(like("TS", `^TS\d+ \[ERROR\]: `))},
		passing: []mark{like("ok | ", `^ok \| \d+ passed`), like("Checked ", `^Checked \d+ files?$`)},
		counts:  []counter{words(like(" | ", `^(?:ok|FAILED) \| \d+ passed`))},
		telling: []told{
			{like("TS", `^(TS\d+ \[ERROR\]: .+)$`)},
			{like(" => ", `^(.+) => \S+:\d+:\d+$`), like("error: ", `^error: (.+)$`)},
			{like("error[", `^(error\[.+)$`)},
			{like("error: ", `^(error: .+)$`)},
		},
	},
	{
		name: "biome", programs: "biome", kinds: "lint", parts: true, last: true,
		failing: []mark{like("Found ", `^Found [1-9]\d* errors?\.`), like("Some errors were emitted", `Some errors were emitted while `)},
		passing: []mark{like("Checked ", `^Checked \d+ files? in .+\. (?:No fixes applied|Fixed \d+ files?)\.`), like("Formatted ", `^Formatted \d+ files? in `)},
		counts:  []counter{words(like("Found ", `^Found \d+ (?:errors?|warnings?)\.`))},
		telling: []told{
			{like("━━", `^(\S+:\d+:\d+ \S+).*━+$`), like("×", `^\s*× (.+)$`)},
			{like("━━", `^(\S+ (?:format|organizeImports|lint)\S*).*━+$`)},
			{like("×", `^\s*× (.+)$`)},
		},
	},
	{
		name: "prettier", programs: "prettier", kinds: "lint",
		failing: []mark{like("Code style issues", `^\[warn\] Code style issues`), like("[error]", `^\[error\] \S+\.\w+: `)},
		passing: []mark{like("All matched files", `All matched files use Prettier code style`)},
		telling: []told{{like("[error]", `^\[error\] (.+)$`)}, {like("[warn]", `^\[warn\] ([^C].+)$`)}, {like("[warn]", `^\[warn\] (.+)$`)}},
	},
	{
		name: "oxlint", programs: "oxlint", kinds: "lint",
		failing: []mark{like("Found ", `^Found \d+ warnings? and [1-9]\d* errors?\.`)},
		passing: []mark{like("Found ", `^Found \d+ warnings? and 0 errors\.`)},
		counts:  []counter{words(like("Found ", `^Found \d+ warnings? and \d+ errors?\.`))},
		telling: []told{{like("× ", `^\s*× (.+)$`)}},
	},
}

// webBuilds are bundlers and runners of several packages.
var webBuilds = []tool{
	{
		name: "vite", programs: "vite rollup", kinds: "build",
		failing: []mark{like("rror during build", `^(?:\[vite[^\]]*\] )?[eE]rror during build`), like("Build failed in", `^✗ Build failed in `), like("[!] ", `^\[!\] `)},
		passing: []mark{like("built in ", `^✓ built in `), like("created ", `^created .+ in [\d.]+m?s`)},
		telling: []told{{like("rror during build", `rror during build`), next}, {like("[!] ", `^\[!\] (.+)$`)}},
	},
	{
		name: "webpack", programs: "webpack", kinds: "build",
		failing: []mark{like("compiled with ", `^webpack .*compiled with [1-9]\d* errors?`), like("ERROR in ", `^ERROR in `)},
		passing: []mark{like("compiled ", `^webpack .*compiled (?:successfully|with \d+ warnings?) in`)},
		telling: []told{{like("ERROR in ", `^(ERROR in .+)$`), next}},
	},
	{
		name: "next", programs: "next", kinds: "build lint",
		failing: []mark{
			like("Failed to compile", `^\s*Failed to compile`),
			like("Build error occurred", `Build error occurred`),
			like("Export encountered", `Export encountered (?:an )?errors?`),
			weak(like("Type error: ", `^Type error: `)),
		},
		passing: []mark{like("prerendered as static", `\(Static\) +prerendered as static`), like("server-rendered on demand", `\(Dynamic\) +server-rendered on demand`), like("No ESLint ", `No ESLint warnings or errors`)},
		telling: []told{{like("Type error: ", `^(Type error: .+)$`)}, {like("Failed to compile", `^\s*Failed to compile`), next, next}, {like("Error", `^(.*Error: .+)$`)}},
	},
	{
		name: "esbuild", programs: "esbuild tsup", kinds: "build",
		failing: []mark{like("[ERROR]", `^✘ \[ERROR\] `), like("Build failed", `^(?:\S+ )?Build failed`), like("error: build failed", `^error: build failed`)},
		passing: []mark{like("Done in ", `^⚡ Done in `), like("Build success in", `Build success in `)},
		telling: []told{{like("[ERROR]", `^✘ \[ERROR\] (.+)$`), like(":", `^\s+(\S+:\d+:\d+):$`)}, {like("[ERROR]", `^✘ \[ERROR\] (.+)$`)}},
	},
	{
		name: "turbo", programs: "turbo nx", kinds: "test build lint",
		failing: []mark{
			like("Failed:", `^\s*Failed:\s+\S+#\S+`),
			like("run failed: command", `ERROR\s+run failed: command .*exited`),
			like("Ran target", `NX +Ran targets? .+ failed|NX +Running targets? .* failed`),
		},
		passing: []mark{like("Successfully ran target", `NX +Successfully ran targets? `)},
		telling: []told{{like("Failed:", `^\s*(Failed:\s+\S+#\S+)`)}, {like("Ran target", `NX +(Ran targets? .+)$`)}},
	},
}

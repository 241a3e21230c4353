package outcome

// What tools of the JVM, .NET, Dart, Ruby, PHP, Elixir and of shells print.

var jvmTools = []tool{
	{
		name: "gradle", programs: "gradle gradlew ant", kinds: "test build lint",
		failing: []mark{like("BUILD FAILED", `^BUILD FAILED`), like("FAILURE: Build ", `^FAILURE: Build (?:failed|completed)`), weak(like("FAILED", `^> Task :\S+ FAILED$`))},
		passing: []mark{like("BUILD SUCCESSFUL", `^BUILD SUCCESSFUL(?: in |$)`)},
		counts:  []counter{words(like("completed", `^\d+ tests? completed`))},
		telling: []told{
			{like(" FAILED", `^(\S.* > .+) FAILED$`), next},
			{like("e: ", `^(e: .+)$`)},
			{like(": error: ", `^(\S+\.java:\d+: error: .+)$`)},
			{like("What went wrong:", `^\* What went wrong:`), next},
		},
	},
	{
		name: "mvn", programs: "mvn mvnw", kinds: "test build lint",
		failing: []mark{
			like("BUILD FAILURE", `^\[INFO\] BUILD FAILURE`),
			like("Tests run:", `^\[ERROR\] +Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])`),
			like("COMPILATION ERROR", `^\[ERROR\] COMPILATION ERROR`),
		},
		passing: []mark{like("BUILD SUCCESS", `^\[INFO\] BUILD SUCCESS`)},
		counts:  []counter{keys(like("Tests run:", `^\[\w+\] +Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$`))},
		telling: []told{
			{like("[ERROR]", `^\[ERROR\] +(\S+\.\w+:\d+ \S.*)$`)},
			{like(".java:[", `^\[ERROR\] (\S+\.(?:java|kt|scala):\[\d+,\d+\] .+)$`)},
			{like("[ERROR] Failed", `^\[ERROR\] (Failed to execute goal .+)$`)},
			{like("[ERROR]", `^\[ERROR\] +(\S.+)$`)},
		},
	},
	{
		name: "javac", programs: "javac kotlinc scalac", kinds: "build", silent: "*",
		failing: []mark{like(" error", `^[1-9]\d* errors?$`), like(".kt:", `^\S+\.kt:\d+:\d+: error: `)},
		telling: []told{{like(": error: ", `^(\S+:\d+:(?:\d+:)? error: .+)$`)}},
	},
	{
		name: "sbt", programs: "sbt", kinds: "test build",
		failing: []mark{
			like("[error]", `^\[error\] (?:Failed tests:|Failed: Total|\(.*\) (?:sbt\.TestsFailedException|Compilation failed)|.*Tests unsuccessful)`),
			like("FAILED ***", `\*\*\* \d+ TESTS? FAILED \*\*\*`),
		},
		passing: []mark{like("[success]", `^\[success\] Total time`)},
		counts:  []counter{keys(like("Tests: succeeded", `^\[info\] Tests: succeeded \d+`)), keys(like(": Total ", `^\[(?:info|error)\] (?:Passed|Failed): Total \d+`))},
		telling: []told{
			{like("*** FAILED ***", `^\[info\] +(.+) \*\*\* FAILED \*\*\*`), like("[info]", `^\[info\] +(\S.+)$`)},
			{like("[error]", `^\[error\] (?:-- )?(\S+\.scala:\d+:\d+: .+|.*\[E\d+\] .+)$`)},
			{like("[error]", `^\[error\] +(\S.+)$`)},
		},
	},
}

var dotnetTools = []tool{
	{
		name: "dotnet test", programs: "dotnet", kinds: "test",
		failing: []mark{
			like("Failed!", `^\s*Failed! +- Failed: +[1-9]`),
			like("Test Run Failed.", `^Test Run Failed\.`),
			like("Test summary:", `^Test summary: total: \d+, failed: [1-9]`),
		},
		passing: []mark{like("Passed!", `^\s*Passed! +- Failed: +0,`), like("Test Run Successful.", `^Test Run Successful\.`), like("Test summary:", `^Test summary: total: \d+, failed: 0,`)},
		counts:  []counter{keys(like("Failed:", `^\s*(?:Passed|Failed)! +- Failed: +\d+, Passed: +\d+`)), keys(like("Test summary:", `^Test summary: total: \d+`))},
		telling: []told{
			{like("Failed ", `^\s+Failed (\S.*?) \[[<\d]`), like("Error Message:", `^\s+Error Message:`), next},
			{like("error TESTERROR", `^.*error TESTERROR: *(.*)$`), next},
			{like("Failed ", `^\s+Failed (\S.*?) \[[<\d]`)},
		},
	},
	{
		name: "dotnet build", programs: "dotnet msbuild", kinds: "build lint",
		failing: []mark{like("Build FAILED.", `^Build FAILED\.`), like("Build failed with", `^Build failed with `), like("error ", `: error [A-Z]{2,}\d+: `)},
		passing: []mark{like("Build succeeded", `^Build succeeded`)},
		telling: []told{{like("error ", `^\s*(.*: error [A-Z]{2,}\d+: .+)$`)}},
	},
}

var mobileTools = []tool{
	{
		name: "dart test", programs: "flutter dart", kinds: "test",
		failing: []mark{like("Some tests failed.", `Some tests failed\.$`), weak(like("[E]", `^\d\d:\d\d .+ \[E\]$`))},
		passing: []mark{like("All tests passed!", `All tests passed!$`)},
		counts:  []counter{words(like("tests ", `^\d\d:\d\d \+(?P<passed>\d+)(?: ~(?P<skipped>\d+))?(?: -(?P<failed>\d+))?: (?:All tests passed!|Some tests failed\.)$`))},
		telling: []told{
			{like("[E]", `^\d\d:\d\d [^:]+: (.+) \[E\]$`), like("Expected: ", `^\s+(Expected: .+)$`), like("Actual: ", `^\s+(Actual: .+)$`)},
			{like("[E]", `^\d\d:\d\d [^:]+: (.+) \[E\]$`), next},
			{like("Expected: ", `^\s*(Expected: .+)$`), like("Actual: ", `^\s*(Actual: .+)$`)},
			{like("[E]", `^(.+) \[E\]$`)},
		},
	},
	{
		name: "dart analyze", programs: "flutter dart", kinds: "lint",
		failing: []mark{like(" found.", `^[1-9]\d* issues? found\.`)},
		passing: []mark{like("No issues found!", `^No issues found!`)},
		telling: []told{{like("error", `^\s*(error [•-] .+)$`)}, {like(" • ", `^\s*(\w+ • .+)$`)}, {like(" - ", `^\s*((?:error|warning|info) - .+)$`)}},
	},
	{
		name: "flutter build", programs: "flutter", kinds: "build",
		failing: []mark{like("FAILURE: Build failed", `^FAILURE: Build failed`), like("Gradle task ", `^Gradle task .+ failed with exit code`), weak(like(".dart:", `^\S+\.dart:\d+:\d+: Error: `))},
		passing: []mark{like("Built build", `^✓ +Built build`)},
		telling: []told{{like(".dart:", `^(\S+\.dart:\d+:\d+: Error: .+)$`)}, {like("What went wrong:", `^\* What went wrong:`), next}},
	},
}

var rubyTools = []tool{
	{
		name: "rspec", programs: "rspec", kinds: "test",
		failing: []mark{like(" example", `^\d+ examples?, [1-9]\d* failures?`), like(" occurred outside of examples", `\d+ errors? occurred outside of examples`)},
		passing: []mark{like(" example", `^[1-9]\d* examples?, 0 failures`)},
		counts:  []counter{words(like(" example", `^\d+ examples?, \d+ failures?`))},
		telling: []told{
			{like("1) ", `^\s+1\) (.+)$`), like("expected", `^\s+(expected:? .+)$`), like("got: ", `^\s+(got: .+)$`)},
			{like("1) ", `^\s+1\) (.+)$`), like("Failure/Error: ", `^\s+(Failure/Error: .+)$`), next},
			{like("An error occurred", `^(An error occurred .+)$`), next},
			{like("rspec ", `^(rspec \S+:\d+ # .+)$`)},
		},
	},
	{
		name: "minitest", programs: "rails rake minitest", kinds: "test",
		failing: []mark{like(" assertions, ", `^\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures|\d+ failures, [1-9]\d* errors)`)},
		passing: []mark{like(" assertions, ", `^\d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors`)},
		counts:  []counter{words(like(" assertions, ", `^\d+ (?:runs|tests), \d+ assertions, `))},
		telling: []told{
			{like(":", `^(?:\s*1\) )?(?:Failure|Error):$`), next, like("", `^(Expected: .+)$`), like("", `^\s*(Actual: .+)$`)},
			{like(":", `^(?:\s*1\) )?(?:Failure|Error):$`), next, next},
		},
	},
	{
		name: "rubocop", programs: "rubocop", kinds: "lint",
		failing: []mark{like(" inspected, ", `^\d+ files? inspected, [1-9]\d* offenses? detected`)},
		passing: []mark{like(" inspected, ", `^\d+ files? inspected, no offenses detected`)},
		telling: []told{{like(".rb:", `^(\S+\.rb:\d+:\d+: .+)$`)}},
	},
}

var phpTools = []tool{
	{
		name: "phpunit", programs: "phpunit composer", kinds: "test",
		failing: []mark{like("FAILURES!", `^FAILURES!`), like("ERRORS!", `^ERRORS!`)},
		passing: []mark{like("OK (", `^OK \(\d+ tests?, \d+ assertions?\)`), like("OK, but ", `^OK, but `)},
		counts:  []counter{words(like("OK (", `^OK \(\d+ tests?, `)), keys(like("Assertions: ", `^Tests: \d+, Assertions: \d+`))},
		telling: []told{{like("1) ", `^1\) (.+)$`), next}},
	},
	{
		name: "phpstan", programs: "phpstan psalm", kinds: "lint",
		failing: []mark{like("[ERROR] ", `^\s*\[ERROR\] Found \d+ errors?`), like(" errors found", `^\d+ errors found$`)},
		passing: []mark{like("[OK] No errors", `^\s*\[OK\] No errors`), like("No errors found!", `^\s*No errors found!`)},
		telling: []told{{like("  ", `^\s+(\d+\s{2,}\S.+)$`)}, {like("ERROR: ", `^(ERROR: .+)$`)}},
	},
}

var otherTools = []tool{
	{
		name: "mix test, bats", programs: "mix bats", kinds: "test",
		failing: []mark{
			like(" failure", `^(?:\d+ \w+, )*\d+ tests?, [1-9]\d* failures?`),
			weak(like("not ok ", `^not ok \d+ `)),
		},
		passing: []mark{like(", 0 failures", `^(?:\d+ \w+, )*\d+ tests?, 0 failures`)},
		counts:  []counter{words(like(" failure", `^(?:\d+ \w+, )*\d+ tests?, \d+ failures?`))},
		telling: []told{
			{like("1) test", `^\s+1\) (test .+)$`), like(".exs:", `^\s+(\S+\.exs:\d+)$`), next},
			{like("✗ ", `^\s*✗ (.+)$`), next, next},
			{like("not ok ", `^not ok \d+ (.+)$`)},
		},
	},
	{
		name: "mix compile", programs: "mix", kinds: "build lint", silent: "compile",
		failing: []mark{like("== Compilation error", `^== Compilation error in file `), like("** (Mix) ", `^\*\* \(Mix\) `), weak(like("error: ", `^\s+error: `))},
		passing: []mark{like("Generated ", `^Generated \S+ app$`)},
		telling: []told{{like("error: ", `^\s*error: (.+)$`), like("└─ ", `^\s*└─ (.+)$`)}, {like("** (", `^(\*\* \(\w+Error\) .+)$`)}, {like("== Compilation", `^(== Compilation error in file .+?) ==$`)}, {like("** (Mix)", `^\*\* \(Mix\) (.+)$`)}},
	},
	{
		name: "credo, dialyzer", programs: "mix", kinds: "lint",
		failing: []mark{like("mods/funs, found", `^\d+ mods/funs, found [1-9]\d* `), like("Halting VM", `^Halting VM with exit status [1-9]`)},
		passing: []mark{like("found no issues", `^\d+ mods/funs, found no issues\.`), like("done (passed", `^done \(passed successfully\)`)},
		telling: []told{{like("┃ [", `^┃ (\[\w\].+)$`), like(":", `^┃\s+(\S+\.exs?:\d+)`)}, {like("mods/funs, found", `^(\d+ mods/funs, found .+)$`)}, {like(".ex:", `^(\S+\.ex:\d+.*)$`)}},
	},
	{
		name: "terraform", programs: "terraform tofu tflint", kinds: "lint",
		failing: []mark{like("Error: ", `^│ Error: `), weak(like("Error: ", `^Error: `))},
		passing: []mark{like("Success! ", `^Success! The configuration is valid`)},
		telling: []told{{like("Error: ", `^(?:│ )?(Error: .+)$`), like(" on ", `^(?:│ )?\s*(on \S+ line \d+).*$`)}, {like("Error: ", `^(?:│ )?(Error: .+)$`)}},
	},
	{
		name: "shellcheck", programs: "shellcheck hadolint actionlint", kinds: "lint", silent: "*",
		failing: []mark{like(" line ", `^In \S+ line \d+:$`), like(".yml:", `^\S+\.ya?ml:\d+:\d+: `), like("DL", `^\S+:\d+ (?:DL|SC)\d+ `)},
		telling: []told{{like(" line ", `^(In \S+ line \d+):$`), like("SC", `\^-+\^? (SC\d+ .+)$`)}, {like(":", `^(\S+:\d+(?::\d+)?:? .+)$`)}},
	},
	{
		name: "TAP", programs: "tap prove", kinds: "test",
		failing: []mark{like("Result: FAIL", `^Result: FAIL`), like("# failed ", `^# failed [1-9]\d* `)},
		passing: []mark{like("Result: PASS", `^Result: PASS`)},
		telling: []told{{like("not ok ", `^not ok \d+ (?:- )?(.+)$`)}},
	},
}

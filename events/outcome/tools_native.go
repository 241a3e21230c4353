package outcome

// What tools of compiled languages print: Go, Rust, C, Zig, Swift.

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

var nativeTools = []tool{
	{
		name: "make", programs: "make gmake ninja", kinds: "test build lint",
		failing: []mark{
			like("***", `^g?make(?:\[\d+\])?: \*\*\* `),
			like("ninja: ", `^ninja: (?:build stopped|error|fatal)`),
		},
		passing: []mark{like("ninja: no work", `^ninja: no work to do`)},
		telling: []told{{like("***", `^(g?make(?:\[\d+\])?: \*\*\* No rule .+)$`)}},
	},
	{
		name: "cc", programs: "cc gcc g++ c++ clang clang++", kinds: "build", silent: "*",
		failing: []mark{
			like("error: ", `^[^\s:]+\.(?:c|cc|cpp|cxx|h|hpp|m|mm|cu):\d+:(?:\d+:)? (?:fatal )?error: `),
			like("collect2: error", `^collect2: error: `),
			like("linker command failed", `^clang(?:\+\+)?: error: linker command failed`),
			weak(like("undefined reference", `: undefined reference to `)),
		},
		telling: []told{{like("error: ", `^([^\s:]+:\d+:(?:\d+:)? (?:fatal )?error: .+)$`)}, {like("undefined reference", `^(.*undefined reference to .+)$`)}, {like("error: ", `^(.*error: .+)$`)}},
	},
	{
		name: "cmake", programs: "cmake", kinds: "build", parts: true,
		failing: []mark{like("CMake Error", `^CMake Error\b`), like("Configuring incomplete", `^-- Configuring incomplete`)},
		passing: []mark{like("Build files have been written", `^-- Build files have been written`), like("[100%] Built target", `^\[100%\] Built target `)},
		telling: []told{{like("CMake Error", `^(CMake Error.*)$`), next}, {like("CMake Error", `^(CMake Error.*)$`)}},
	},
	{
		name: "ctest", programs: "ctest", kinds: "test",
		failing: []mark{like(" failed out of ", `^\d+% tests passed, [1-9]\d* tests? failed out of \d+`), weak(like("The following tests FAILED", `^The following tests FAILED:`))},
		passing: []mark{like(" failed out of ", `^100% tests passed, 0 tests failed out of \d+`)},
		counts:  []counter{words(like(" failed out of ", `^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<total>\d+)`))},
		telling: []told{{like("The following tests FAILED", `^The following tests FAILED:`), next}, {like(" failed out of ", `^(.+failed out of.+)$`)}},
	},
	{
		name: "zig", programs: "zig", kinds: "test build", silent: "build",
		failing: []mark{
			like(" failed", `^\d+ passed; \d+ skipped; [1-9]\d* failed\.`),
			like("error: the following", `^error: the following (?:test )?command (?:failed|exited|terminated)`),
			like("Build Summary: ", `^Build Summary: .*\bfailed`),
			weak(like(".zig:", `^[^\s:]+\.zig:\d+:\d+: error: `)),
		},
		passing: []mark{like(" tests passed.", `^All \d+ tests passed\.`), like("Build Summary: ", `^Build Summary: \d+/\d+ steps succeeded`)},
		counts:  []counter{words(like(" tests passed.", `^All \d+ tests passed\.`)), words(like(" failed", `^\d+ passed; \d+ skipped; \d+ failed\.`))},
		telling: []told{
			{like(".zig:", `^([^\s:]+\.zig:\d+:\d+: error: .+)$`)},
			{like("...", `^\d+/\d+ (.+?)\.\.\.\s*(?:FAIL.*|expected .*)$`)},
			{like("expected ", `^(expected .+, found .+)$`)},
			{like("error: ", `^(.*error: .+)$`)},
		},
	},
	{
		name: "swift test", programs: "swift xcodebuild", kinds: "test", last: true,
		failing: []mark{
			like("Executed ", `^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?[1-9]\d* failures?`),
			like("Test run with ", `^\S+ Test run with \d+ tests? .*failed`),
			like("** TEST FAILED **", `^\*\* TEST FAILED \*\*`),
			weak(like("error: ", `^[^\s:]+\.swift:\d+: error: `)),
		},
		passing: []mark{
			like("Executed ", `^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?0 failures`),
			like("Test run with ", `^\S+ Test run with \d+ tests? .*passed`),
			like("** TEST SUCCEEDED **", `^\*\* TEST SUCCEEDED \*\*`),
		},
		counts:  []counter{words(like("Executed ", `^\s*Executed [1-9]\d* tests?, with `))},
		telling: swiftTelling,
	},
	{
		name: "swift build", programs: "swift xcodebuild", kinds: "build",
		failing: []mark{
			like(".swift:", `^[^\s:]+\.swift:\d+:\d+: error: `),
			like("error: fatalError", `^error: fatalError`),
			like("** BUILD FAILED **", `^\*\* BUILD FAILED \*\*`),
		},
		passing: []mark{like("Build complete!", `^Build complete!`), like("Compiling plugin", `^Build of product .* complete!`), like("** BUILD SUCCEEDED **", `^\*\* BUILD SUCCEEDED \*\*`)},
		telling: swiftTelling,
	},
}

// swiftTelling is what tests of Swift and its compiler say.
var swiftTelling = []told{
	{like(".swift:", `^([^\s:]+\.swift:\d+(?::\d+)?: error: .+)$`)},
	{like("recorded an issue", `^\S+ (Test .+ recorded an issue at .+)$`)},
	{like("error: ", `^(error: .+)$`)},
}

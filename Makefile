# hookline: a flight recorder for Claude Code. `make` lists the targets.
# Needs Go; race needs a C compiler, lint the Go module proxy (once), e2e see e2e/README.md.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
PREFIX   ?= $(HOME)/.local
FUZZTIME ?= 10s
COUNT    ?= 1
LONG     ?= long

# A release is a clean tree at the tag v$(BASE), or a source archive without git. Every other build is
# a pre-release ordered by its commit's time: a running daemon hands over to a newer build, and
# compares the text behind the dash.
BASE    := $(shell cat VERSION)
ifndef VERSION
VERSION := $(shell \
	if ! git rev-parse --git-dir >/dev/null 2>&1; then echo $(BASE); \
	elif [ "$$(git describe --tags --exact-match --match 'v$(BASE)' --dirty 2>/dev/null)" = 'v$(BASE)' ]; then echo $(BASE); \
	else echo $(BASE)-dev.$$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd 2>/dev/null || echo 0).$$(git describe --always --dirty --exclude '*' 2>/dev/null || echo new); fi)
endif

# A hook of git that runs the tests has these; the repositories of the tests are others.
unexport GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_CONFIG_PARAMETERS

EXE      := $(shell $(GO) env GOEXE)
BINARIES := hookd hookfind replay hookctl
bindir    = $(DESTDIR)$(PREFIX)/bin
mandir    = $(DESTDIR)$(PREFIX)/share/man/man1
bashdir   = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir    = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fishdir   = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
PROGRAMS := hookctl replay

# Static, without machine paths. -s -w drops symbols and debug data, a third of the size.
BUILD    := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -X hookline/hookctl/wire.Build=$(VERSION)"

AXE_VERSION  := 4.14.1
LINT_VERSION := v2.15.0
LINT         := .cache/bin/golangci-lint

NFPM_VERSION := v2.43.0
NFPM         := .cache/bin/nfpm-$(NFPM_VERSION)

# What make cross builds, and where it also vets, which compiles the tests.
PLATFORMS     := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
VET_PLATFORMS := darwin/arm64 windows/amd64

# Processes under test are built without the race detector, so their conversations gain nothing by it.
RACE_PACKAGES = $$($(GO) list ./... | grep -v -E '/(conversations|crash|bench|demo)$$')

.PHONY: help build install uninstall up demo test race lint fuzz cover crash bench continuity e2e e2e-newest cross browser pictures man docs redaction-rules docs-check ground shared-check ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/hookctl, bin/hookd, bin/hookfind, bin/replay
	@mkdir -p bin
	$(BUILD) -o bin/hookd$(EXE) ./hookctl/hookd
	$(BUILD) -o bin/hookfind$(EXE) ./hookctl/hookfind
	$(BUILD) -o bin/replay$(EXE) ./replay
	$(BUILD) -o bin/hookctl$(EXE) ./hookctl

# A running binary cannot be written to, but replaced: by rename, hookctl last, so that a new client
# always finds its daemon. Windows renames a running program but does not replace it: it is moved
# aside first, and removed by the next install.
install: build ## copy binaries, man pages and completions to PREFIX (~/.local)
	@mkdir -p "$(bindir)"
	@for b in $(BINARIES); do \
		to="$(bindir)/$$b$(EXE)"; \
		cp "bin/$$b$(EXE)" "$$to.new"; chmod 755 "$$to.new"; \
		if [ -n "$(EXE)" ] && [ -e "$$to" ]; then rm -f "$$to.old"; mv -f "$$to" "$$to.old"; fi; \
		mv -f "$$to.new" "$$to"; echo "$$to"; \
	done
	@mkdir -p "$(mandir)" "$(bashdir)" "$(zshdir)" "$(fishdir)"
	@for p in $(PROGRAMS); do \
		exe="bin/$$p$(EXE)"; if [ $$p = hookctl ]; then exe="bin/hookd$(EXE)"; fi; \
		"$$exe" man "$(mandir)" >/dev/null; \
		"$$exe" completion bash > "$(bashdir)/$$p"; \
		"$$exe" completion zsh > "$(zshdir)/_$$p"; \
		"$$exe" completion fish > "$(fishdir)/$$p.fish"; \
	done
	@echo "$(mandir), completions for bash, zsh and fish"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo 'note: $(PREFIX)/bin is not in PATH; add to your shell profile: export PATH="$(PREFIX)/bin:$$PATH"';; esac

uninstall: ## remove our hooks, stop the daemon, remove what install wrote; the log stays
	@if [ -x "$(bindir)/hookctl$(EXE)" ]; then \
		"$(bindir)/hookctl$(EXE)" uninstall; \
		if [ -e "$${CODEX_HOME:-$$HOME/.codex}/hooks.json" ]; then "$(bindir)/hookctl$(EXE)" uninstall --client codex; fi; \
		"$(bindir)/hookctl$(EXE)" stop; \
	fi
	@for b in $(BINARIES); do rm -f "$(bindir)/$$b$(EXE)" "$(bindir)/$$b$(EXE).old"; done
	@rm -f "$(mandir)"/hookctl*.1 "$(mandir)"/replay*.1
	@for p in $(PROGRAMS); do rm -f "$(bashdir)/$$p" "$(zshdir)/_$$p" "$(fishdir)/$$p.fish"; done
	@echo "your log stays in $${HOOKLINE_HOME:-$${XDG_STATE_HOME:-$$HOME/.local/state}/hookline}"

up: install ## build, install, add the hooks to your settings, start the daemon, check the whole line
	@cd "$$HOME" && "$(bindir)/hookctl$(EXE)" install # not here: this repository's own hooks are its developers'
	@"$(bindir)/hookctl$(EXE)" restart
	@cd "$$HOME" && PATH="$(bindir):$$PATH" "$(bindir)/hookctl$(EXE)" doctor
	@"$(bindir)/hookctl$(EXE)" status
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) h=hookctl;; *) h='"$(bindir)/hookctl$(EXE)"';; esac; \
	echo; echo "Start Claude Code as always and watch it: $$h tail -f"

demo: build ## play a recorded session in a throw-away home; touches nothing else
	@$(GO) run ./demo

test: ## all tests
	$(GO) test -count=$(COUNT) ./...

race: ## all tests of our packages with the race detector
	CGO_ENABLED=1 $(GO) test -race -short -timeout 15m $(RACE_PACKAGES)

$(LINT):
	@mkdir -p $(@D)
	GOBIN="$(CURDIR)/$(@D)" CGO_ENABLED=0 GOFLAGS= $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

# The binary is checked for its version, so a raised LINT_VERSION replaces a cached one.
lint: ## gofmt, go mod tidy and verify, go vet, golangci-lint (installed into .cache/bin when missing)
	@out=$$(gofmt -l */); if [ -n "$$out" ]; then echo "gofmt:"; echo "$$out"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) mod verify
	$(GO) vet ./...
	@if [ -x $(LINT) ] && ! $(LINT) version --short 2>/dev/null | grep -qF '$(LINT_VERSION:v%=%)'; then rm -f $(LINT); fi
	@$(MAKE) --no-print-directory $(LINT)
	$(LINT) run --allow-parallel-runners ./...

fuzz: ## each fuzzer for FUZZTIME (10s)
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
			echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; \
		done; \
	done

cover: ## coverage of the tests by package and in all
	@mkdir -p .cache
	$(GO) test -coverprofile=.cache/cover.out -coverpkg=./... ./...
	@$(GO) tool cover -func=.cache/cover.out | tail -n 1

crash: ## break it and count what is lost, the long form (LONG= for the short one)
	HOOKLINE_CRASH=$(LONG) $(GO) test -count=1 -timeout 2h -v ./crash

bench: build ## the table of docs/benchmarks.md with its goals
	$(GO) run ./bench

continuity: ## what an agent is told after compactions, judged with TRANSCRIPTS= (a folder; docs/continuity.md)
	@test -n "$(TRANSCRIPTS)" || { echo "make continuity: error: TRANSCRIPTS names no folder"; echo "make continuity: hint: TRANSCRIPTS=$$HOME/.claude/projects"; exit 1; }
	$(GO) run ./continuity $(if $(VERBOSE),-v) $(if $(TOGETHER),-together) $(if $(EVERY),-every $(EVERY)) $(if $(POINTS),-points "$(POINTS)") "$(TRANSCRIPTS)"

e2e: ## the scenarios under the real client, a pinned release (e2e/README.md)
	HOOKLINE_E2E=1 $(GO) test -count=1 -timeout 10m ./e2e

e2e-newest: export HOOKLINE_E2E_CLIENT = newest
e2e-newest: e2e ## the same under the newest release of the client, for about once a week

cross: ## build for Linux, macOS and Windows on amd64 and arm64; vet for macOS and Windows
	@for p in $(PLATFORMS); do \
		echo "== build $$p"; CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -buildvcs=false ./...; \
	done
	@for p in $(VET_PLATFORMS); do \
		echo "== vet $$p"; CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./...; \
	done

browser: ## headless Chromium for the tests of the page, where it can be installed; without one they are skipped
	@if ! command -v chromium chromium-browser google-chrome >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null || true; \
	fi
	@if ! [ -e .cache/axe/node_modules/axe-core/axe.min.js ] && command -v npm >/dev/null; then \
		npm install --silent --no-save --prefix .cache/axe axe-core@$(AXE_VERSION) >/dev/null || echo "skipped: no axe-core"; \
	fi
	@command -v chromium chromium-browser google-chrome || echo "skipped: no Chromium; the page is not looked at in a browser"

pictures: ## docs/page*.png anew, by headless Chromium (Debian: apt-get install chromium)
	HOOKLINE_PICTURES="$(CURDIR)/docs" $(GO) test -count=1 -run TestPictures -v ./hookctl/page

$(NFPM):
	@mkdir -p $(@D)
	GOBIN="$(CURDIR)/$(@D)" CGO_ENABLED=0 GOFLAGS= $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM_VERSION)
	@mv $(@D)/nfpm $@

.PHONY: release
release: $(NFPM) ## archives, deb, rpm, Homebrew formula, install script, checksums into dist/ (docs/releasing.md)
	GO="$(GO)" VERSION="$(VERSION)" PLATFORMS="$(PLATFORMS)" NFPM="$(NFPM)" URL="$(URL)" release/build

man: build ## man pages into dist/man/man1
	@mkdir -p dist/man/man1
	@bin/hookctl$(EXE) man dist/man/man1
	@bin/replay$(EXE) man dist/man/man1

# The generated page, below a folder.
define pages
	bin/hookd$(EXE) events types --markdown > $(1)/events.md.new
	@mv $(1)/events.md.new $(1)/events.md
endef

redaction-rules: ## hookctl/redact/gitleaks.txt anew from gitleaks' rules (downloads the pinned module)
	$(GO) test ./hookctl/redact -run TestGitleaksRules -count=1 -update

docs: build ## write the generated page, docs/events.md
	$(call pages,docs)

docs-check: build ## fail when the generated page is not up to date
	@mkdir -p .cache
	$(call pages,.cache)
	@cmp -s .cache/events.md docs/events.md || { echo "docs/events.md is not up to date: make docs"; exit 1; }

ground: build ## fail when a document names a file or a line that is not there
	@bin/hookctl$(EXE) ledger ground README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs/*.md docs/decisions/*.md

shared-check: build ## play recorded sessions through the binaries, where there are some beside the repository
	@if [ -d ../shared/data/transcripts ] && command -v python3 >/dev/null; then \
		mkdir -p .cache/sessions; \
		for t in ../shared/data/transcripts/*.jsonl; do \
			s=.cache/sessions/$$(basename "$${t%.jsonl}").ndjson; \
			python3 ../shared/tools/transcript2hooks.py "$$t" > "$$s"; \
		done; \
		.ci/sessions .cache/sessions/*.ndjson; \
	else echo "skipped: recorded sessions (no ../shared/data/transcripts, or no python3)"; fi

CI_STEPS := browser lint test docs-check ground race e2e cross shared-check

ci: export CI = true
ci: export GOFLAGS = -buildvcs=false
ci: ## what has to pass before a change goes in
	@for step in $(CI_STEPS); do \
		echo "=== make $$step"; begin=$$SECONDS; \
		$(MAKE) --no-print-directory $$step; \
		echo "=== $$step: $$((SECONDS - begin)) s"; \
	done

clean: ## remove what was built; the linter's and the tests' caches stay
	rm -rf bin dist .cache/cover.out .cache/events.md .cache/sessions

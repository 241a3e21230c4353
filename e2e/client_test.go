package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const clientPackage = "@anthropic-ai/claude-code"

// pinnedClient is the release that the scenarios are kept for. Raise it when `make e2e-newest` passes.
const pinnedClient = "2.1.331"

// npmLimit bounds a question to npm.
const npmLimit = 20 * time.Second

// Client returns the path of the real client: the one that HOOKLINE_E2E_CLIENT names, else the pinned release, or the
// newest one where that variable is "newest". A release is installed once, into a folder for its version in the cache
// ($XDG_CACHE_HOME or ~/.cache, hookline-e2e).
func Client(ctx context.Context) (string, error) {
	named := os.Getenv("HOOKLINE_E2E_CLIENT")
	if named != "" && named != "newest" {
		if _, err := os.Stat(named); err != nil {
			return "", fmt.Errorf("HOOKLINE_E2E_CLIENT: %w", err)
		}
		return named, nil
	}

	version := pinnedClient
	if named == "newest" {
		var err error
		version, err = newest(ctx)
		if err != nil {
			return "", err
		}
	}

	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "hookline-e2e")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, "install.lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }()

	prefix := filepath.Join(dir, version)
	if path := installed(prefix); path != "" {
		return path, nil
	}
	if err := install(ctx, version, prefix); err != nil {
		return "", err
	}
	return installed(prefix), nil
}

var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// newest asks npm for the version of the newest release, by its tag: with a bare name npm falls back to an old release
// when the installed node is older than the newest one asks for.
func newest(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, npmLimit)
	defer cancel()
	out, err := npm(ctx, "view", clientPackage+"@latest", "version")
	if err != nil {
		return "", err
	}

	// The version becomes the name of a folder.
	version := strings.TrimSpace(out)
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("npm names the version %q", version)
	}
	return version, nil
}

// installed finds the native binary; npm puts it into a package of its own, named after the platform.
func installed(prefix string) string {
	hits, _ := filepath.Glob(filepath.Join(prefix, "node_modules", "@anthropic-ai", "claude-code-*", "claude"))
	if len(hits) == 0 {
		return ""
	}
	return hits[0]
}

// install brings a release into a folder, whole or not at all.
func install(ctx context.Context, version, prefix string) error {
	part := prefix + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	_, err := npm(ctx, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", part, clientPackage+"@"+version)
	if err != nil {
		return err
	}
	if installed(part) == "" {
		return errors.New("npm installed no binary for this platform")
	}
	return errors.Join(os.RemoveAll(prefix), os.Rename(part, prefix))
}

// npm runs one command of npm and gives what it prints.
func npm(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm is missing, and HOOKLINE_E2E_CLIENT is not set")
	}
	cmd := exec.CommandContext(ctx, path, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("npm %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

// Version asks the client for its version, such as "2.1.329".
func Version(ctx context.Context, client string) (string, error) {
	home, err := os.MkdirTemp("", "e2e-version")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, client, "--version")
	cmd.Env = []string{"HOME=" + home, "PATH=" + clientPath}
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}

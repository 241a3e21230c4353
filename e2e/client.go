package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// The client's package, and its newest release by its tag: with a bare name npm falls back to an old release when the
// installed node is older than the newest one asks for.
const (
	clientPackage = "@anthropic-ai/claude-code"
	newestTag     = "latest"
)

// ErrNoClient means that the client is not installed and cannot be.
var ErrNoClient = errors.New("no Claude Code client")

// newestFor is how long what npm said of the newest release is believed.
const newestFor = 24 * time.Hour

// npmLimit bounds a question to npm; a slow registry must not fail a run that has a client.
const npmLimit = 20 * time.Second

// Client returns the path of the real client. HOOKLINE_E2E_CLIENT names one; else it is the newest release, in the cache
// folder ($XDG_CACHE_HOME or ~/.cache, hookline-e2e), a folder for each version. npm is asked once a day which one that
// is, and installs it where it is missing; a machine that cannot ask goes on with the newest that it has.
func Client(ctx context.Context) (string, error) {
	if path := os.Getenv("HOOKLINE_E2E_CLIENT"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%w: HOOKLINE_E2E_CLIENT: %w", ErrNoClient, err)
		}
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoClient, err)
	}
	dir := filepath.Join(cache, "hookline-e2e")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoClient, err)
	}
	lock := flock.New(filepath.Join(dir, "install.lock"))
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("lock client cache: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	return clientIn(ctx, dir)
}

// clientIn is the newest client, or the newest of the cache where there is trouble with npm.
func clientIn(ctx context.Context, dir string) (string, error) {
	version, err := newest(ctx, filepath.Join(dir, "newest"))
	if err == nil {
		prefix := filepath.Join(dir, version)
		if path := installed(prefix); path != "" {
			return path, nil
		}
		if err = install(ctx, version, prefix); err == nil {
			return installed(prefix), nil
		}
	}
	prefixes, _ := filepath.Glob(filepath.Join(dir, "[0-9]*"))
	slices.SortFunc(prefixes, func(a, b string) int { return compareVersions(filepath.Base(b), filepath.Base(a)) })
	for _, prefix := range prefixes {
		if path := installed(prefix); path != "" {
			return path, nil
		}
	}
	return "", err
}

// newest is the version of the newest release, which the file keeps.
func newest(ctx context.Context, file string) (string, error) {
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < newestFor {
		if b, err := os.ReadFile(file); err == nil && isVersion(string(b)) {
			return string(b), nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, npmLimit)
	defer cancel()
	out, err := npm(ctx, "view", clientPackage+"@"+newestTag, "version")
	if err != nil {
		return "", err
	}
	version := strings.TrimSpace(out)
	if !isVersion(version) {
		return "", fmt.Errorf("%w: npm names the version %q", ErrNoClient, version)
	}
	return version, os.WriteFile(file, []byte(version), 0o600)
}

// isVersion keeps anything else from becoming the name of a folder.
func isVersion(s string) bool { return regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`).MatchString(s) }

func compareVersions(a, b string) int {
	number := func(s string) (n [3]int) {
		_, _ = fmt.Sscanf(s, "%d.%d.%d", &n[0], &n[1], &n[2])
		return n
	}
	x, y := number(a), number(b)
	return slices.Compare(x[:], y[:])
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
		return fmt.Errorf("%w: %w", ErrNoClient, err)
	}
	_, err := npm(ctx, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", part, clientPackage+"@"+version)
	if err != nil {
		return err
	}
	if installed(part) == "" {
		return fmt.Errorf("%w: npm installed no binary for this platform", ErrNoClient)
	}
	if err := errors.Join(os.RemoveAll(prefix), os.Rename(part, prefix)); err != nil {
		return fmt.Errorf("%w: %w", ErrNoClient, err)
	}
	return nil
}

// npm runs one command of npm and gives what it prints.
func npm(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("%w: npm is missing, and HOOKLINE_E2E_CLIENT is not set", ErrNoClient)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: npm %s: %w: %s", ErrNoClient, args[0], err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

// Version asks the client for its version, such as "2.1.329".
func Version(ctx context.Context, client string) (string, error) {
	home, err := os.MkdirTemp("", "e2e-version")
	if err != nil {
		return "", fmt.Errorf("client version: %w", err)
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, client, "--version")
	cmd.Env = []string{"HOME=" + home, "PATH=" + clientPath}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("client version: %w", err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}

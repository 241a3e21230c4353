package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// clientPackage names the release by its tag: with a bare name npm falls back to an old release when the installed
// node is older than the newest one asks for.
const clientPackage = "@anthropic-ai/claude-code@latest"

// ErrNoClient means that the client is not installed and cannot be.
var ErrNoClient = errors.New("no Claude Code client")

// Client returns the path of the real client. HOOKLINE_E2E_CLIENT names one; else it is taken from the cache folder
// ($XDG_CACHE_HOME or ~/.cache, hookline-e2e), where npm installs it when missing. A cached client is never updated:
// remove the folder to get the newest.
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
	if path := cachedClient(dir); path != "" {
		return path, nil
	}
	return installClient(ctx, dir)
}

// cachedClient finds the native binary; npm puts it into a package of its own, named after the platform.
func cachedClient(dir string) string {
	hits, _ := filepath.Glob(filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code-*", "claude"))
	if len(hits) == 0 {
		return ""
	}
	return hits[0]
}

func installClient(ctx context.Context, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("%w: npm is missing, and HOOKLINE_E2E_CLIENT is not set", ErrNoClient)
	}
	cmd := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", dir,
		clientPackage)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: npm install: %w: %s", ErrNoClient, err, strings.TrimSpace(string(out)))
	}
	if path := cachedClient(dir); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("%w: npm installed no binary for this platform", ErrNoClient)
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

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// npmOf puts an npm on the PATH that knows one version, and notes what it is asked.
func npmOf(t *testing.T, version string) (asked func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "asked")
	script := `#!/bin/sh
echo "$*" >> ` + log + `
case $1 in
view) echo ` + version + ` ;;
install) mkdir -p "$6/node_modules/@anthropic-ai/claude-code-linux-x64" && echo "$7" > "$6/node_modules/@anthropic-ai/claude-code-linux-x64/claude" ;;
esac
`
	if version == "" {
		script = "#!/bin/sh\necho unreachable >&2\nexit 1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return func() string {
		b, _ := os.ReadFile(log)
		return string(b)
	}
}

// TestClientRelease: the pinned release is installed once and then found without npm; the newest one is asked for, is
// kept beside it, and what npm says must be a version.
func TestClientRelease(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	caches, err := os.UserCacheDir()
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no cache folder, or no shell for the npm of this test")
	}
	dir := filepath.Join(caches, "hookline-e2e")
	expect := func(version string) {
		t.Helper()
		got, err := Client(t.Context())
		want := filepath.Join(dir, version, "node_modules", "@anthropic-ai", "claude-code-linux-x64", "claude")
		if err != nil || got != want {
			t.Fatalf("got %s, %v, want %s", got, err, want)
		}
		if b, _ := os.ReadFile(got); string(b) != "@anthropic-ai/claude-code@"+version+"\n" {
			t.Fatalf("installed %q", b)
		}
	}

	t.Setenv("HOOKLINE_E2E_CLIENT", "")
	npmOf(t, "")
	if _, err := Client(t.Context()); !errors.Is(err, ErrNoClient) || !strings.Contains(err.Error(), "npm install: exit status 1: unreachable") {
		t.Fatalf("without a cache and a registry: %v", err)
	}
	asked := npmOf(t, "9.1.10")
	expect(pinnedClient)
	expect(pinnedClient)
	if got := strings.Count(asked(), "\n"); got != 1 {
		t.Errorf("npm was asked %q, want one install", asked())
	}

	t.Setenv("HOOKLINE_E2E_CLIENT", "newest")
	expect("9.1.10")
	npmOf(t, "../../etc")
	if _, err := Client(t.Context()); !errors.Is(err, ErrNoClient) || !strings.Contains(err.Error(), `npm names the version "../../etc"`) {
		t.Fatalf("a version that leads elsewhere: %v", err)
	}
}

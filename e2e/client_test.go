package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
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

// TestClientCache: the newest release is asked for once a day and kept beside the older ones, and a machine that
// reaches no registry goes on with the newest that it has.
func TestClientCache(t *testing.T) {
	t.Setenv("HOOKLINE_E2E_CLIENT", "")
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
	aDayLater := func() {
		t.Helper()
		old := time.Now().Add(-newestFor - time.Minute)
		if err := os.Chtimes(filepath.Join(dir, "newest"), old, old); err != nil {
			t.Fatal(err)
		}
	}

	npmOf(t, "")
	if _, err := Client(t.Context()); !errors.Is(err, ErrNoClient) || !strings.Contains(err.Error(), "npm view: exit status 1: unreachable") {
		t.Fatalf("without a cache and a registry: %v", err)
	}
	asked := npmOf(t, "2.1.9")
	expect("2.1.9")
	expect("2.1.9")
	if n := strings.Count(asked(), "view @anthropic-ai/claude-code@latest version\n"); n != 1 {
		t.Errorf("npm was asked %d times for the newest", n)
	}
	npmOf(t, "2.1.10")
	expect("2.1.9") // what npm said is believed for a day
	aDayLater()
	expect("2.1.10")
	aDayLater()
	npmOf(t, "")
	expect("2.1.10")
	npmOf(t, "../../etc")
	expect("2.1.10")
}

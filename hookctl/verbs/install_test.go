package verbs

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
	"hookline/hookctl/verbs/install"
)

// installed is a bench with a hookctl beside hookd.
func installed(t *testing.T, f *fakeBackend) *bench {
	t.Helper()
	b := newBench(t, nil)
	if f != nil {
		b.handler = f
	}
	write(t, filepath.Join(filepath.Dir(b.Self), "hookctl"), "#!")
	expect.OK(t, os.Chmod(filepath.Join(filepath.Dir(b.Self), "hookctl"), 0o755))
	return b
}

func (b *bench) settings() string { return filepath.Join(b.env["HOME"], ".claude", "settings.json") }

// TestHookctlByPath: where PATH leads to our hookctl, the link's name is installed, not what is behind it.
func TestHookctlByPath(t *testing.T) {
	b := installed(t, nil)
	beside := filepath.Join(filepath.Dir(b.Self), "hookctl")
	link := filepath.Join(t.TempDir(), "hookctl")
	if err := os.Symlink(beside, link); err != nil {
		t.Skip(err)
	}
	b.Look = func(string) (string, error) { return link, nil }
	expect.Equal(t, install.Program(b.Env), link, "got")
	other := filepath.Join(t.TempDir(), "hookctl")
	write(t, other, "#!other")
	b.Look = func(string) (string, error) { return other, nil }
	expect.Equal(t, install.Program(b.Env), beside, "got")
}

package events

import (
	"testing"

	"hookline/expect"
)

func TestFolderOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"ls":                         "/w",
		"cd sub && ls":               "/w/sub",
		`cd "a b"; ls`:               "/w/a b",
		"cd /other && make":          "/other",
		"cd ../x && make":            "/x",
		"cd $HOME && ls":             "",
		"cd ~/x && ls":               "",
		`cd "/a~b/c" && ls`:          "/a~b/c",
		"ls && cd sub":               "/w",
		"cd sub\nls":                 "/w/sub",
		"pushd sub && ls":            "/w",
		"cd - && ls":                 "",
		"make -C sub":                "/w",
		"(cd sub && ls)":             "/w",
		"cd sub && cd deeper && ls ": "/w/sub",
	} {
		expect.Equal(t, Folder(line, "/w"), want, "folder of", line)
	}
}

func TestPathInAFolder(t *testing.T) {
	for _, c := range []struct{ folder, name, want string }{
		{"/w", "a.go", "/w/a.go"},
		{"/w/", "./a.go", "/w/a.go"},
		{"/w", "/x/a.go", "/x/a.go"},
		{"", "a.go", "a.go"},
		{`C:\w`, `sub\a.go`, "C:/w/sub/a.go"},
		{"/w", `C:\x\a.go`, "C:/x/a.go"},
	} {
		expect.Equal(t, InFolder(c.folder, c.name), c.want, "path", c.name, "in", c.folder)
	}
}

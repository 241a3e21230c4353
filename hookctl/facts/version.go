package facts

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
)

// clientPackage is the client's npm package; its native builds are in packages named
// clientPackage + "-<platform>".
const clientPackage = "@anthropic-ai/claude-code"

// maxManifest bounds a package.json, maxLevels the folders between an executable and it
// (…/claude-code/bin/claude has one).
const (
	maxManifest = 256 << 10
	maxLevels   = 3
)

// versions remembers one process's version, since a process never changes it. It is a table that is
// filled as it is asked: dropping it changes no answer.
var versions cache[Process, string]

// ClientVersion is the version of the client that a process runs, e.g. "2.1.329", as far as its
// executable's path or the package.json beside it tell; "" unknown. The program is never run. Where
// the client was updated while it ran, the package on disk may be newer than the process.
func ClientVersion(pid int) string {
	p := Probe(pid)
	if !p.Alive {
		return ""
	}
	if v, ok := versions.get(p); ok {
		return v
	}
	r, ok := inspect(pid)
	if !ok {
		return ""
	}
	v := versionOf(r)
	if p.Start != 0 { // without it a reused pid would get the old answer
		versions.put(p, v)
	}
	return v
}

func versionOf(r running) string {
	if v := versionOfFile(r.exe); v != "" {
		return v
	}
	script := scriptOf(r)
	if !filepath.IsAbs(script) {
		return ""
	}
	return versionOfFile(script)
}

func versionOfFile(file string) string {
	if file == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if v := versionInPath(file); v != "" {
		return v
	}
	dir := filepath.Dir(file)
	if v := manifestVersion(filepath.Join(filepath.Dir(dir), "claude-code", "package.json")); v != "" {
		return v
	}
	for range maxLevels {
		if v := manifestVersion(filepath.Join(dir, "package.json")); v != "" {
			return v
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// versionInPath reads …/claude/versions/<version>, where the native installer puts each version, as a
// file or as a folder.
func versionInPath(file string) string {
	_, rest, ok := strings.Cut(slashed(file), "/claude/versions/")
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, "/")
	v = strings.TrimSuffix(v, ".exe")
	if !version.MatchString(v) {
		return ""
	}
	return v
}

// manifestVersion reads the version out of a package.json of the client.
func manifestVersion(file string) string {
	b, err := readSmall(file, maxManifest)
	if err != nil {
		return ""
	}
	var m struct{ Name, Version string }
	if json.Unmarshal(b, &m) != nil || !version.MatchString(m.Version) {
		return ""
	}
	if m.Name != clientPackage && !strings.HasPrefix(m.Name, clientPackage+"-") {
		return ""
	}
	return m.Version
}

// version is "1.2.3" with anything of a semantic version behind it, up to 64 bytes.
var version = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+([-+][^/]{1,50})?$`)

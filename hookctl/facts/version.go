package facts

import (
	"cmp"
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

// ClientVersion returns the version of the client that a process runs, e.g. "2.1.329", as far as the path of its executable
// or script, or the package.json above that, has it; "" unknown. The program is never run. Where
// the client was updated while it ran, the package on disk may be newer than the process.
func ClientVersion(pid int) string {
	r, _ := inspect(pid)
	return cmp.Or(versionOf(r.exe), versionOf(scriptOf(r)))
}

func versionOf(file string) string {
	if !filepath.IsAbs(file) {
		return versionInPath(file)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	v := versionInPath(file)
	for level := 0; v == "" && level < maxLevels; level++ {
		file = filepath.Dir(file)
		v = manifestVersion(filepath.Join(file, "package.json"))
	}
	return v
}

// versionInPath reads …/claude/versions/<version>, where the native installer puts each version, as a
// file or as a folder.
func versionInPath(file string) string {
	_, rest, _ := strings.Cut(slashed(file), "/claude/versions/")
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

// version is "1.2.3" with anything of a semantic version after it, up to 64 bytes.
var version = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+([-+][^/]{1,50})?$`)

package events

import (
	"path"
	"strings"
)

// Folder returns the folder that the commands of a shell's line run in, as far as the line says it: what it changes to
// before everything else, else the folder that the shell was in. The home's tilde and variables are not known: "".
func Folder(line, cwd string) string {
	m := folderChange.FindStringSubmatch(line)
	if m == nil {
		return cwd
	}
	folder := strings.Trim(m[1], `"'`)
	unknown := strings.ContainsAny(folder, "$`*") || strings.HasPrefix(folder, "~") || folder == "-"
	if unknown {
		return ""
	}
	return InFolder(cwd, folder)
}

// InFolder returns a path that was named in a folder, as an absolute one where the folder or the path is absolute.
// Backslashes of Windows count as slashes.
func InFolder(folder, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	drive := len(name) > 2 && name[1] == ':' && name[2] == '/'
	if path.IsAbs(name) || drive || folder == "" {
		return path.Clean(name)
	}
	return path.Join(strings.ReplaceAll(folder, `\`, "/"), name)
}

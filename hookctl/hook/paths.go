package hook

import (
	"strings"
)

// Many paths in few tokens: what they have in common is written once.

// byFolder lists paths in one line. Those below one folder stand together in braces, as a shell expands them, and a folder
// in them has braces of its own: src/{a.go,b.go,db/{c.go,d.go}}; README.md. Folders and files come in the order of their
// first path. A path that itself has a sign of this form stands alone.
func byFolder(paths []string) string {
	tree := &folder{}
	var alone []string
	for _, p := range paths {
		if standsAlone(p) {
			alone = append(alone, p)
			continue
		}
		tree.add(strings.Split(p, "/"))
	}
	return strings.Join(append(tree.texts(), alone...), "; ")
}

// standsAlone reports whether a path has a sign of the form.
func standsAlone(path string) bool { return strings.ContainsAny(path, "{},;") }

// folderSizes returns how many bytes [byFolder] writes of the first n of some paths, for every n, without writing them.
func folderSizes(paths []string) []int {
	tree := &folder{}
	alone, bytesAlone := 0, 0
	sizes := make([]int, 1, len(paths)+1)
	for _, p := range paths {
		if standsAlone(p) {
			alone++
			bytesAlone += len(p)
		} else {
			tree.add(strings.Split(p, "/"))
		}
		entries, bytes := tree.size()
		sizes = append(sizes, bytes+bytesAlone+len("; ")*(entries+alone-1))
	}
	return sizes
}

// folder is a part of a tree of paths: names in the order in which they came.
type folder struct {
	names   []string
	folders map[string]*folder
	files   map[string]bool
}

// add takes in a path by its parts, once.
func (f *folder) add(parts []string) {
	name, rest := parts[0], parts[1:]
	if len(rest) == 0 {
		if !f.files[name] {
			if f.files == nil {
				f.files = map[string]bool{}
			}
			f.files[name] = true
			f.note(name)
		}
		return
	}

	inner := f.folders[name]
	if inner == nil {
		inner = &folder{}
		if f.folders == nil {
			f.folders = map[string]*folder{}
		}
		f.folders[name] = inner
		f.note(name)
	}
	inner.add(rest)
}

// note keeps the order of the names. A file and a folder may have the same one.
func (f *folder) note(name string) {
	for _, n := range f.names {
		if n == name {
			return
		}
	}
	f.names = append(f.names, name)
}

// texts are the entries of a folder, in order.
func (f *folder) texts() []string {
	var list []string
	for _, name := range f.names {
		if f.files[name] {
			list = append(list, name)
		}
		inner := f.folders[name]
		if inner == nil {
			continue
		}

		entries := inner.texts()
		if len(entries) == 1 {
			list = append(list, name+"/"+entries[0])
		} else {
			list = append(list, name+"/{"+strings.Join(entries, ",")+"}")
		}
	}
	return list
}

// size returns how many entries a folder has, and the bytes of all of them.
func (f *folder) size() (entries, bytes int) {
	for _, name := range f.names {
		if f.files[name] {
			entries++
			bytes += len(name)
		}
		inner := f.folders[name]
		if inner == nil {
			continue
		}

		n, size := inner.size()
		entries++
		bytes += len(name) + len("/") + size
		if n > 1 {
			bytes += len("{}") + len(",")*(n-1)
		}
	}
	return entries, bytes
}

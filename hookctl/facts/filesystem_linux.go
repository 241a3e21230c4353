package facts

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// networks are the file systems, by their type in mountinfo, whose files other machines may change; shares between a virtual
// machine and its host count.
var networks = []string{"nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "gfs2", "ocfs2", "lustre", "gpfs", "beegfs", "glusterfs",
	"vboxsf", "vmhgfs", "prl_fs", "virtiofs", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.vmhgfs-fuse"}

// NetworkFS returns the type of the file system that an existing path lies on, "" where the mount table does not have it, and
// whether another machine may write to it: locks and memory maps are not to be trusted there.
func NetworkFS(path string) (name string, network bool, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false, fmt.Errorf("ask file system of %s: %w", path, err)
	}
	table, err := readSmall("/proc/self/mountinfo", 16<<20)
	if err != nil {
		return "", false, err
	}
	name = mountType(string(table), real)
	return name, slices.Contains(networks, name), nil
}

// mountType finds the mount of a path in the text of mountinfo (proc(5)): the mount point is the fifth field, the type the
// first after " - ". The longest mount point counts, of several the last.
func mountType(table, path string) (kind string) {
	longest := 0
	for line := range strings.Lines(table) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if len(fields) < 5 {
			continue
		}
		point := fields[4]
		inside := path == point || strings.HasPrefix(path, strings.TrimSuffix(point, "/")+"/")
		if inside && len(point) >= longest {
			longest = len(point)
			kind, _, _ = strings.Cut(after, " ")
		}
	}
	return kind
}

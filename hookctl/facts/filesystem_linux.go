package facts

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fuse is the magic number that every file system in user space shares; mountinfo knows which it is.
const fuse = 0x65735546

// magics names the file systems whose files other machines may change, by their magic number (statfs(2), linux/magic.h,
// the drivers' sources).
var magics = map[uint32]string{
	0x6969:     "nfs",
	0x517b:     "smb",
	0xff534d42: "cifs",
	0xfe534d42: "smb2",
	0x01021997: "9p",
	0x5346414f: "afs",
	0x6b414653: "kafs",
	0x73757245: "coda",
	0x564c:     "ncp",
	0x00c36400: "ceph",
	0x01161970: "gfs2",
	0x7461636f: "ocfs2",
	0x0bd00bd0: "lustre",
	0x47504653: "gpfs",
	0x19830326: "beegfs",
	0xaad7aaea: "panfs",
	0x786f4256: "vboxsf",
	0xbacbacbc: "vmhgfs",
	0x7c7c6673: "prl_fs",
}

// localFUSE are the file systems in user space that lie on this machine; all others are taken for
// network, since most are (sshfs, rclone, s3fs, gvfsd, glusterfs, …).
var localFUSE = map[string]bool{
	"fuseblk": true, "fuse.bindfs": true, "fuse.encfs": true, "fuse.gocryptfs": true, "fuse.cryfs": true,
	"fuse.mergerfs": true, "fuse.unionfs": true, "fuse.ntfs-3g": true, "fuse.fuse-overlayfs": true,
	"fuse.lxcfs": true, "fuse.ext4": true, "fuse.apfs": true, "fuse.zfs": true, "fuse.securefs": true,
}

func networkFS(path string) (name string, network bool, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", false, err
	}
	magic := uint32(st.Type) // the field's type and sign differ between architectures
	if magic == fuse {
		name := mountedAs(path, "fuse")
		return name, !localFUSE[name], nil
	}
	name, network = magics[magic]
	if !network {
		name = mountedAs(path, fmt.Sprintf("0x%x", magic))
	}
	return name, network, nil
}

// mountedAs is the type in mountinfo of the file system that path is on, unknown when it is not there.
func mountedAs(path, unknown string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return unknown
	}
	table, err := readSmall("/proc/self/mountinfo", 16<<20)
	if err != nil {
		return unknown
	}
	device := strconv.Itoa(int(unix.Major(uint64(st.Dev)))) + ":" + strconv.Itoa(int(unix.Minor(uint64(st.Dev)))) //nolint:unconvert // Dev is 32 bits wide on mips
	return mountType(string(table), device, unknown)
}

// mountType finds a device's type in the text of mountinfo (proc(5)): the device is the third field,
// the type the first behind " - ". A device that is not there (of btrfs each subvolume has its own) is unknown.
func mountType(table, device, unknown string) string {
	for line := range strings.Lines(table) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if kind, _, _ := strings.Cut(after, " "); ok && len(fields) > 2 && fields[2] == device {
			return kind
		}
	}
	return unknown
}

func diskFree(path string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	unit := uint64(st.Frsize)
	if unit == 0 {
		unit = uint64(st.Bsize)
	}
	return st.Bavail * unit, st.Blocks * unit, nil
}

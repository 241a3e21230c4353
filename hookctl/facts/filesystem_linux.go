package facts

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fuse is the magic number that every file system in user space shares; mountinfo knows which it is.
const fuse = 0x65735546

// magics names file systems by their magic number (statfs(2), linux/magic.h, the drivers' sources).
var magics = map[uint32]struct {
	name    string
	network bool
}{
	0x6969:     {"nfs", true},
	0x517b:     {"smb", true},
	0xff534d42: {"cifs", true},
	0xfe534d42: {"smb2", true},
	0x01021997: {"9p", true},
	0x5346414f: {"afs", true},
	0x6b414653: {"kafs", true},
	0x73757245: {"coda", true},
	0x564c:     {"ncp", true},
	0x00c36400: {"ceph", true},
	0x01161970: {"gfs2", true},
	0x7461636f: {"ocfs2", true},
	0x0bd00bd0: {"lustre", true},
	0x47504653: {"gpfs", true},
	0x19830326: {"beegfs", true},
	0xaad7aaea: {"panfs", true},
	0x786f4256: {"vboxsf", true},
	0xbacbacbc: {"vmhgfs", true},
	0x7c7c6673: {"prl_fs", true},
	0xef53:     {"ext4", false},
	0x58465342: {"xfs", false},
	0x9123683e: {"btrfs", false},
	0x2fc12fc1: {"zfs", false},
	0xf2f52010: {"f2fs", false},
	0xca451a4e: {"bcachefs", false},
	0x794c7630: {"overlay", false},
	0x01021994: {"tmpfs", false},
	0x858458f6: {"ramfs", false},
	0x4d44:     {"vfat", false},
	0x2011bab0: {"exfat", false},
	0x7366746e: {"ntfs3", false},
	0xf15f:     {"ecryptfs", false},
	0x61756673: {"aufs", false},
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
		name := mountedAs(path)
		return name, !localFUSE[name], nil
	}
	if known, ok := magics[magic]; ok {
		return known.name, known.network, nil
	}
	return fmt.Sprintf("0x%x", magic), false, nil
}

// mountedAs is the type in mountinfo of the file system that path is on, "fuse" when it is not there.
func mountedAs(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return "fuse"
	}
	table, err := readSmall("/proc/self/mountinfo", 16<<20)
	if err != nil {
		return "fuse"
	}
	device := strconv.Itoa(int(unix.Major(uint64(st.Dev)))) + ":" + strconv.Itoa(int(unix.Minor(uint64(st.Dev)))) //nolint:unconvert // Dev is 32 bits wide on mips
	return mountType(string(table), device)
}

// mountType finds a device's type in the text of mountinfo (proc(5)): the device is the third field,
// the type the first behind " - ".
func mountType(table, device string) string {
	for line := range strings.Lines(table) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if kind, _, _ := strings.Cut(after, " "); ok && len(fields) > 2 && fields[2] == device {
			return kind
		}
	}
	return "fuse"
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

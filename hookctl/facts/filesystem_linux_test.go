package facts

import (
	"errors"
	"io/fs"
	"testing"

	"hookline/expect"
)

func TestNetworkFS(t *testing.T) {
	if name, network, err := NetworkFS("/proc"); name != "proc" || network || err != nil {
		t.Errorf("/proc: %q, %v, %v", name, network, err)
	}
	if name, network, err := NetworkFS(t.TempDir() + "/gone"); !errors.Is(err, fs.ErrNotExist) || name != "" || network {
		t.Errorf("%q, %v, %v", name, network, err)
	}

	const table = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 22 0:45 / /mnt/far rw,nosuid shared:9 master:2 - fuse.sshfs me@far:/srv rw,user_id=1000
32 22 0:46 / /mnt/far/usb rw - fuseblk /dev/sdb1 rw
`
	for path, want := range map[string]string{"/home": "ext4", "/mnt/far": "fuse.sshfs", "/mnt/far/x": "fuse.sshfs", "/mnt/farther": "ext4", "/mnt/far/usb/x": "fuseblk"} {
		expect.Equal(t, mountType(table, path), want, path)
	}
}

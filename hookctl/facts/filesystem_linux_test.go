package facts

import (
	"testing"

	"hookline/expect"
)

func TestKernelsOwnFileSystems(t *testing.T) {
	if name, network, err := NetworkFS("/proc"); name != "proc" || network || err != nil {
		t.Errorf("/proc: %q, %v, %v", name, network, err)
	}
	expect.Equal(t, mountedAs("/proc", "fuse"), "proc", "proc is mounted as")
	expect.Equal(t, mountedAs("/no/such/folder", "0xef53"), "0xef53", "nothing is mounted as")
}

func TestMountType(t *testing.T) {
	const table = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 22 0:45 / /mnt/far rw,nosuid shared:9 master:2 - fuse.sshfs me@far:/srv rw,user_id=1000
32 22 0:46 / /mnt/usb rw - fuseblk /dev/sdb1 rw
33 22 0:47 / /run/host\040dir rw - virtiofs share rw
`
	for device, want := range map[string]string{
		"8:1": "ext4", "0:45": "fuse.sshfs", "0:46": "fuseblk", "0:47": "virtiofs", "9:9": "fuse",
	} {
		expect.Equal(t, mountType(table, device, "fuse"), want, device)
	}
	for name, local := range map[string]bool{"fuse.sshfs": false, "fuseblk": true, "virtiofs": false, "fuse": false} {
		expect.Equal(t, localFUSE[name], local, name, "local")
	}
}

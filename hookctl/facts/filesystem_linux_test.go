package facts

import "testing"

func TestKernelsOwnFileSystems(t *testing.T) {
	if name, network, err := NetworkFS("/proc"); name != "proc" || network || err != nil {
		t.Errorf("/proc: %q, %v, %v", name, network, err)
	}
	if got := mountedAs("/proc", "fuse"); got != "proc" {
		t.Errorf("/proc is mounted as %q", got)
	}
	if got := mountedAs("/no/such/folder", "0xef53"); got != "0xef53" {
		t.Errorf("nothing is mounted as %q", got)
	}
}

// The numbers are those of the kernel's headers (linux/magic.h) and of statfs(2).
func TestMagics(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xff534d42: "cifs", 0xfe534d42: "smb2", 0x517b: "smb", 0x01021997: "9p", 0x5346414f: "afs",
		0xef53: "", 0x58465342: "", 0x9123683e: "", 0x01021994: "", // ext4, xfs, btrfs, tmpfs
	} {
		if got := magics[magic]; got != want {
			t.Errorf("%#x: %q, want %q", magic, got, want)
		}
	}
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
		if got := mountType(table, device, "fuse"); got != want {
			t.Errorf("%s: %q, want %q", device, got, want)
		}
	}
	for name, local := range map[string]bool{"fuse.sshfs": false, "fuseblk": true, "virtiofs": false, "fuse": false} {
		if localFUSE[name] != local {
			t.Errorf("%s: local %v", name, localFUSE[name])
		}
	}
}

package daemon

import (
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func peerOf(c *net.UnixConn) peer {
	p := peer{stranger: true}
	raw, err := c.SyscallConn()
	if err != nil {
		return p
	}
	_ = raw.Control(func(fd uintptr) { // a closed connection counts as another user
		cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			p.stranger = int(cred.Uid) != os.Geteuid() && cred.Uid != 0
			p.pid = int(cred.Pid)
		}
	})
	return p
}

// program returns the file that the process runs, not the one that it names: the daemon is replaced by what lies beside it.
func (p peer) program(string) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(p.pid) + "/exe")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)") // replaced by an installation while it runs
}

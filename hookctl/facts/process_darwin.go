package facts

import "golang.org/x/sys/unix"

// zombie is SZOMB of sys/proc.h.
const zombie = 5

func probe(pid int) (start int64, alive bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return 0, signalable(pid)
	}
	if k.Proc.P_stat == zombie {
		return 0, false
	}
	t := k.Proc.P_starttime
	return t.Sec*1_000_000 + int64(t.Usec), true
}

func inspect(pid int) (running, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return running{}, false
	}
	r := running{parent: int(k.Eproc.Ppid)}
	if raw, err := unix.SysctlRaw("kern.procargs2", pid); err == nil {
		r.exe, r.args = parseProcArgs(raw)
	}
	return r, true
}

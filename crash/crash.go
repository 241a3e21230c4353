// Package crash proves by breaking it that the recorder keeps its promises: processes are killed,
// power is cut, bits are flipped, disks fill up and fail, daemons race, clocks jump. All of it happens
// to real processes on fresh homes; the package itself is empty, its tests are the content.
//
//	go test ./crash                                       a short form, part of every test run
//	HOOKLINE_CRASH=long go test ./crash -timeout 2h       hundreds of breaks
//
// # The oracle
//
// A hook that got the daemon's answer, or whose delivery ended with exit 0 without saying that the hook
// is lost, was promised to be kept. After each break a daemon is started again, and then
//
//   - every promised hook is in the log exactly once, whether it came by the socket or by the spool,
//   - no hook, promised or not, is there twice, no event id recurs, no sequence is missing,
//   - verify folds the whole log again and finds every cell as it is.
//
// # What it needs
//
// Linux. Small and failing disks are mounted in a mount namespace of their own, so nothing that fails
// can leave a mount behind; block devices need root besides, and the disk that refuses any operation and loses its power
// between any two needs /dev/fuse. Where something is missing a test is
// skipped and says what; under CI as root nothing is skipped.
package crash

package client

import (
	"errors"
	"io/fs"
	"syscall"

	"hookline/embedded"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
)

// advice is what a person can do about an error of [Connect] or of a request, and the exit code. The first that fits
// counts.
var advice = []struct {
	about error
	do    string
	exit  int
}{
	{ErrNotRunning, "`hookctl start` starts one", 1},
	{home.ErrBackoff, "`hookctl doctor` tells what is in the way", 1},
	{home.ErrStarting, "`hookctl doctor` tells what is in the way", 1},
	{embedded.ErrLogGone, "hooks are kept in the spool meanwhile; `replay repair --from EXPORT` restores the events of an export", 2},
	{embedded.ErrLogDamaged, "keep a copy of the store's folder before anything else is tried; `replay verify` tells what is lost and what can be had back", 2},
	{embedded.ErrLocked, "another command reads the store, or a daemon is starting: try again in a moment; `hookctl status` tells whether it is the daemon", 1},
	{embedded.ErrReadOnly, "opening a store writes to it: HOOKLINE_HOME can name a copy", 1},
	{embedded.ErrDenied, "opening a store writes to it: run this as its owner, or give the file its permissions back", 1},
	{embedded.ErrMisplaced, "move that file away and try again; nothing was changed", 1},
	{embedded.ErrNoSpace, "make room on the disk of the home; nothing acknowledged is lost", 1},
	{fs.ErrPermission, notWritable, 1},
	{syscall.EROFS, notWritable, 1},
	{syscall.ENOTDIR, notWritable, 1},
	{fs.ErrNotExist, "that path is not there; the folder of a new file must be", 1},
}

// HintReopened is the hint of a request that failed because the store must be opened anew, which the next daemon does.
const HintReopened = "make room on the disk and run this again: the daemon ends now, and the store is opened anew"

const notWritable = "make that place writable for you, or let HOOKLINE_HOME name another; `hookctl doctor` looks closer"

// Advised gives an error what a person can do about it and the exit code of the verb; one that has them, and one of
// which nothing is known, stays as it is.
func Advised(err error) error {
	var p *problem.Error
	for _, a := range advice {
		if errors.Is(err, a.about) && !errors.As(err, &p) {
			return &problem.Error{Message: err.Error(), Hint: a.do, Exit: a.exit, Cause: err}
		}
	}
	return err
}

package safeopen

import (
	"io/fs"
	"os"
)

// The flags of unix have no counterpart: what is no regular file was refused before.
const (
	openFlags = 0
	dirFlags  = 0
)

func linkFlags(Kind) int { return 0 }

// mayOwn trusts the access lists of the user's profile.
func mayOwn(Kind, fs.FileInfo) bool { return true }

func openToOthers(fs.FileInfo) bool { return false }

// SyncDir does nothing: NTFS journals a rename.
func SyncDir(string) error { return nil }

// keepOwner does nothing: a new file takes its access list from the folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

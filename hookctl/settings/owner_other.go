//go:build !unix

package settings

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file takes its access list from the folder there.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// syncFolder does nothing: a folder cannot be opened for that there.
func syncFolder(string) error { return nil }

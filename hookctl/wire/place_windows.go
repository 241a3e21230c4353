package wire

import "os"

// openDirs is the user's own folder of temporary files.
func openDirs() []string { return []string{os.TempDir()} }

// Mark tells nothing here.
func Mark(string) string { return "" }

func usable(string) bool { return true }

func private(string) bool { return true }

package wire

import "os"

// sharedFolders returns the user's folder of temporary files.
func sharedFolders() []string { return []string{os.TempDir()} }

// Mark returns "": on Windows a copy of a home is not told from it.
func Mark(string) string { return "" }

// private reports true: the folders lie in the user's profile, which its access list protects.
func private(string) bool { return true }

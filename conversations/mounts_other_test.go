//go:build unix && !linux

package conversations

import "github.com/rogpeppe/go-internal/testscript"

// Mount namespaces are Linux's.
func canMount() bool { return false }

func cmdTmpfs(ts *testscript.TestScript, _ bool, _ []string)    { ts.Fatalf("no mounts here") }
func cmdReadonly(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no mounts here") }
func cmdWritable(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no mounts here") }
func cmdFill(ts *testscript.TestScript, _ bool, _ []string)     { ts.Fatalf("no mounts here") }
func cmdFits(ts *testscript.TestScript, _ bool, _ []string)     { ts.Fatalf("no pseudo-terminal here") }
func cmdScreen(ts *testscript.TestScript, _ bool, _ []string)   { ts.Fatalf("no pseudo-terminal here") }

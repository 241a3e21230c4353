package verbs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hookline/hookctl/gates"
	"hookline/hookctl/problem"
)

type reqInitVerb struct{}

func (reqInitVerb) run(a *app, _ []string) error {
	place := a.gitPlace()
	if !place.Git || place.Worktree == "" {
		return a.refuse(gates.NotGit)
	}
	file := gates.ProjectFile(place.Worktree)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return problem.Faultf("%v", err)
	}
	err := writeNew(file, gates.Starter())
	if errors.Is(err, fs.ErrExist) {
		return problem.Faultf("%s is there already", file).Advise("nothing was changed; `hookctl req status --verbose` shows what it says")
	}
	if err != nil {
		return problem.Faultf("%v", err)
	}
	return a.Result(initJSON{file}, "✅ Wrote %s\n   Edit it, then `hookctl req status` shows the gates.\n", file)
}

// initJSON is what `req init --json` prints.
type initJSON struct {
	File string `json:"file" jsonschema_description:"that was written"`
}

// writeNew writes a file that is not there yet; one that is stays, and the error is fs.ErrExist.
func writeNew(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file) // half a file is worse than none
	}
	return err
}

type reqSchemaVerb struct{}

func (reqSchemaVerb) run(a *app, _ []string) error {
	a.Verbatim(string(gates.Schema()) + "\n")
	return nil
}

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"unicode/utf8"
)

// Options that cannot be worked with, and what a file can be that is not edited. They come
// wrapped, with what was tried. A file that is none, or too large, is refused by safeopen.
var (
	ErrOptions  = errors.New("invalid options")
	ErrReadOnly = errors.New("read-only")
	ErrBusy     = errors.New("another program keeps writing the file")
)

// A SyntaxError is a settings file that is not understood well enough to be edited: malformed,
// not an object, "hooks" not an object or given twice, an event that is no array. The file is
// untouched.
type SyntaxError struct {
	Path   string
	Line   int // from 1
	Column int // from 1, in characters; a byte order mark is none
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// Hint says what the user can do.
func (e *SyntaxError) Hint() string {
	return fmt.Sprintf("nothing was changed; correct line %d of that file and try again", e.Line)
}

// A FileError is trouble with a file or folder rather than with what is in it. The settings
// file is untouched; only when Op is "sync folder of" it was replaced, and may be back as it was
// after a power failure.
type FileError struct {
	Op     string // what was tried, as "replace"
	Path   string
	Err    error
	Advice string // see Hint; empty if there is nothing to say
}

func (e *FileError) Error() string {
	err := e.Err
	var named *fs.PathError
	if errors.As(err, &named) && named.Path == e.Path { // said once
		err = named.Err
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Path, err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Hint says what the user can do; empty if unknown.
func (e *FileError) Hint() string { return e.Advice }

var windowsAbs = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)

// validate refuses what would name a wrong file or write an entry that could not be found
// again. Only an install needs the command.
func (o Options) validate(install bool) error {
	switch {
	case o.Scope != User && o.Scope != Project && o.Scope != Local:
		return fmt.Errorf("%w: scope %v", ErrOptions, o.Scope)
	case o.Client == Codex && (o.Scope == Local || o.Profile != Full):
		return fmt.Errorf("%w: codex has no scope %v with profile %v", ErrOptions, o.Scope, o.Profile)
	case o.Scope == User && o.Home == "" && o.ConfigDir == "":
		return fmt.Errorf("%w: user scope without a home", ErrOptions)
	case o.Scope != User && o.ProjectDir == "":
		return fmt.Errorf("%w: %v scope without a project directory", ErrOptions, o.Scope)
	case !install:
		return nil
	case o.Profile != Full && o.Profile != Identity:
		return fmt.Errorf("%w: profile %v", ErrOptions, o.Profile)
	}
	return validateCommand(o.Command(), o.Scope)
}

func validateCommand(command string, scope Scope) error {
	switch {
	case scope != Project && !filepath.IsAbs(command) && !windowsAbs.MatchString(command):
		return fmt.Errorf("%w: binary %q is not an absolute path", ErrOptions, command)
	case !utf8.ValidString(command):
		return fmt.Errorf("%w: binary %q is not valid UTF-8", ErrOptions, command)
	case !isOurBinary(command):
		return fmt.Errorf("%w: binary %q is not named hookctl or hookd, so its entries could not be found again", ErrOptions, command)
	}
	return nil
}

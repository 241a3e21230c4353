package events

import "fmt"

// Where a session works: folders, work trees and files that change beside the tools, issues that wait.

// Wire names of this file.
const (
	TypeWorkplaceSurveyed         = "workplace.surveyed"
	TypeCwdChanged                = "cwd.changed"
	TypeDirectoryAdded            = "directory.added"
	TypeFileChanged               = "file.changed"
	TypeWorktreeCreationRequested = "worktree.creation_requested"
	TypeWorktreeRemoved           = "worktree.removed"
)

// WorkplaceSurveyed records what a start found where its session works.
type WorkplaceSurveyed struct {
	Changed []string   `json:"changed,omitempty" jsonschema_description:"files that look otherwise than when the session saw them last, at most 40"`
	Gone    string     `json:"gone,omitempty" jsonschema_description:"the work tree, where it is not there any more"`
	Tracker string     `json:"tracker,omitempty" jsonschema_description:"bd or br"`
	Issues  []WorkItem `json:"issues,omitempty" jsonschema_description:"in progress, then ready, at most 5"`
}

// Type implements [Event].
func (*WorkplaceSurveyed) Type() string { return TypeWorkplaceSurveyed }

var _ = kind[WorkplaceSurveyed]("", "what a start found where its session works: files that changed, issues that wait")

// Summary implements [Summarizer].
func (e *WorkplaceSurveyed) Summary() string {
	return fmt.Sprintf("%d files changed, %d issues", len(e.Changed), len(e.Issues))
}

// WorkItem is an issue that waits to be worked on.
type WorkItem struct {
	ID     string `json:"id" jsonschema_description:"the tracker's"`
	Title  string `json:"title" jsonschema_description:"shortened"`
	Status string `json:"status,omitempty" jsonschema_description:"the tracker's"`
}

// CwdChanged records the client's CwdChanged hook: the working directory moved.
type CwdChanged struct {
	Common
	OldCwd string `json:"old_cwd,omitempty" jsonschema_description:"before"`
	NewCwd string `json:"new_cwd,omitempty" jsonschema_description:"after"`
}

// Type implements [Event].
func (*CwdChanged) Type() string { return TypeCwdChanged }

var _ = kind[CwdChanged]("CwdChanged", "the working directory moved")

// DirectoryAdded records the client's DirectoryAdded hook: a directory was added to the session.
type DirectoryAdded struct {
	Common
	Directory string `json:"directory,omitempty" jsonschema_description:"the directory"`
	Source    string `json:"source,omitempty" jsonschema_description:"who added it"`
}

// Type implements [Event].
func (*DirectoryAdded) Type() string { return TypeDirectoryAdded }

var _ = kind[DirectoryAdded]("DirectoryAdded", "a directory was added to the session")

// FileChanged records the client's FileChanged hook: a watched file changed outside the tools.
type FileChanged struct {
	Common
	FilePath string `json:"file_path,omitempty" jsonschema_description:"the file"`
	Event    string `json:"event,omitempty" jsonschema_description:"add, change or unlink"`
}

// Type implements [Event].
func (*FileChanged) Type() string { return TypeFileChanged }

var _ = kind[FileChanged]("FileChanged", "a watched file changed outside the tools")

// WorktreeCreationRequested records the client's WorktreeCreate hook: the client wants a work tree; not installed, its answer would replace git.
type WorktreeCreationRequested struct {
	Common
	Name string `json:"name,omitempty" jsonschema_description:"name of the work tree"`
}

// Type implements [Event].
func (*WorktreeCreationRequested) Type() string { return TypeWorktreeCreationRequested }

var _ = kind[WorktreeCreationRequested]("WorktreeCreate", "the client wants a work tree; not installed, its answer would replace git")

// WorktreeRemoved records the client's WorktreeRemove hook: a work tree was removed.
type WorktreeRemoved struct {
	Common
	WorktreePath string `json:"worktree_path,omitempty" jsonschema_description:"where it was"`
}

// Type implements [Event].
func (*WorktreeRemoved) Type() string { return TypeWorktreeRemoved }

var _ = kind[WorktreeRemoved]("WorktreeRemove", "a work tree was removed")

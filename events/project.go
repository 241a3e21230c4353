package events

// Projects: what identifies one, and where it lies.

// Wire names of this file.
const (
	TypeProjectSeen    = "project.seen"
	TypeProjectMoved   = "project.moved"
	TypeProjectRehomed = "project.rehomed"
)

// ProjectSeen records what tells a project: written at its first hook and when one of these changed.
type ProjectSeen struct {
	Path       string `json:"path" jsonschema_description:"git common directory, or the directory itself without git"`
	Git        bool   `json:"git" jsonschema_description:"whether path is a git common directory"`
	Name       string `json:"name" jsonschema_description:"base name for people"`
	RootCommit string `json:"root_commit,omitempty" jsonschema_description:"first commit of the history, hex"`
	Remote     string `json:"remote,omitempty" jsonschema_description:"URL of origin, without credentials"`
}

// Type implements [Event].
func (*ProjectSeen) Type() string { return TypeProjectSeen }

var _ = kind[ProjectSeen]("", "a project was seen first, or what identifies it changed")

// ProjectMoved records that a known project was found at another path.
type ProjectMoved struct {
	From string `json:"from" jsonschema_description:"path before"`
	To   string `json:"to" jsonschema_description:"path now"`
	By   string `json:"by" jsonschema_description:"root_commit and remote that told it"`
}

// Type implements [Event].
func (*ProjectMoved) Type() string { return TypeProjectMoved }

var _ = kind[ProjectMoved]("", "a known project was found at another path")

// ProjectRehomed joins two projects: what belonged to From counts for this event's project.
type ProjectRehomed struct {
	From string `json:"from" jsonschema_description:"project id that is given up"`
	Path string `json:"path,omitempty" jsonschema_description:"path that From was known by"`
}

// Type implements [Event].
func (*ProjectRehomed) Type() string { return TypeProjectRehomed }

var _ = kind[ProjectRehomed]("", "two projects were joined by command")

package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/events/versions"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
)

// Rules of a restore:
//
//   - It asks, and says before what is doubtful. --yes answers.
//   - Only a content that is known as a whole and has no replaced secret is written.
//   - What is replaced is kept as a copy in the home, readable by the user alone, before anything is written.
//   - The file is replaced by a rename, so that a reader has the old content or the new one; its mode stays. A file that
//     changes between the question and the rename is left alone.
//   - No link is followed: neither one under the file's own name, nor one that leads out of the work tree.

func restoreCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Hookfind, command.Text{
		Use:   "restore PATH --at POINT",
		Short: "Write a file as it was at a point of the log",
		Long: "Write a file as it was at a point of the log, after asking. What is there now is kept as a copy in the home's folder\n" +
			"`replaced`, and its place is printed. Refused are a content of which only parts are known or in which secrets were\n" +
			"replaced, a link, and a path that a link leads out of the work tree. The restore is an event of its own.\n\n" + pointForms,
		Example: "  hookctl file restore parser.go --at 10m\n" +
			"  hookctl file restore parser.go --at before:4711 --yes --json | jq -r .copy",
	}, &restoreVerb{}, cmdline.Exactly("a file"))
}

type restoreVerb struct {
	At  string `help:"the point"`
	Yes bool   `help:"do not ask"`
}

// restoredJSON is what `file restore --json` prints.
type restoredJSON struct {
	Path    string `json:"path" jsonschema_description:"of the file that was written"`
	Changed bool   `json:"changed" jsonschema_description:"false where the file was so already, and nothing was done"`
	From    uint64 `json:"from" jsonschema_description:"sequence of the event that had left the file so, or whose call had found it so"`
	Bytes   int    `json:"bytes" jsonschema_description:"that were written"`
	Copy    string `json:"copy,omitempty" jsonschema_description:"file with what was replaced; absent where there was no file"`
	Event   uint64 `json:"event,omitempty" jsonschema_description:"sequence of the restore in the log; absent where it could not be recorded"`
}

// Run restores the file.
func (f *restoreVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	if f.At == "" {
		return problem.Faultf("which version is wanted is not said").Advise("--at POINT; `hookctl file log` lists the versions")
	}
	t := targetOf(e, args[0])
	now, err := presentOf(e, t)
	if err != nil {
		return err
	}
	m, err := momentOf(ctx, e, f.At)
	if err != nil {
		return err
	}
	c, err := versionAt(ctx, e, t, m, now.compare)
	if err != nil {
		return err
	}
	if err := restorable(t, c); err != nil {
		return err
	}

	content := now.contentOf(c.Version)
	out := restoredJSON{Path: now.path, From: cmp.Or(c.Seq, c.Before), Bytes: len(content)}
	if now.there && now.content == content {
		return e.Result(out, "%s is so already\n", t.given)
	}
	for _, words := range now.cautions(c, content) {
		e.Say(words)
	}
	if err := e.Confirm(ctx, fmt.Sprintf("Write %s as %s?", t.given, versionWords(c)), f.Yes); err != nil {
		return err
	}
	if out.Copy, err = now.replace(e, content); err != nil {
		return err
	}

	out.Changed = true
	out.Event = record(ctx, e, now, c, out)
	words := fmt.Sprintf("%s is as %s", t.given, versionWords(c))
	if out.Copy != "" {
		words += "; what it was is in " + show.Tilde(e, out.Copy)
	}
	return e.Result(out, "%s\n", words)
}

// versionWords says whose version it is.
func versionWords(c choice) string {
	if c.Seq == 0 {
		return fmt.Sprintf("event %d found it", c.Before)
	}
	return fmt.Sprintf("event %d left it", c.Seq)
}

// restorable returns an error for a version that cannot be written.
func restorable(t target, c choice) error {
	switch {
	case c.Known == versions.Absent:
		return problem.Faultf("there was no file %s then: %s", t.given, absentWords(c)).Advise(earlierHint(c))
	case c.Known != versions.Whole:
		return problem.Faultf("%s is not known as a whole then: %s", t.given, knownWords(c.Version)).
			Advise("`hookctl file show` prints what is known; `hookctl file log` lists the versions")
	case strings.ContainsRune(c.Content, '\uFFFD') && c.Ends != versions.AsRecorded:
		return problem.Faultf("%s has bytes that are no text, which the client does not give", t.given).
			Advise("`hookctl file show` prints it with U+FFFD in their place")
	case c.Redacted:
		return problem.Faultf("%s had secrets then, which were replaced before its content was recorded", t.given).
			Advise("`hookctl file show` prints it with a marker for each")
	}
	return nil
}

// present is the file as it is on disk.
type present struct {
	path    string // without links
	there   bool
	info    fs.FileInfo
	content string
	seq     uint64 // the event whose version has this content; 0 for none
	digest  string // of that version's content, else of this one with plain ends of lines
}

// presentOf looks at the file on disk, and refuses what is not to be written.
func presentOf(e *env.Env, t target) (*present, error) {
	if out := leadsOut(e, t); out != "" {
		return nil, problem.Faultf("%s leads out of %s through a link", t.given, out).Advise("name the file by its own path: " + t.real)
	}

	p := &present{path: t.real}
	info, err := os.Lstat(t.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return nil, problem.Because(err).Advise("nothing was done")
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, problem.Faultf("%s is a link", t.given).Advise("name the file that it leads to")
	case !info.Mode().IsRegular():
		return nil, problem.Faultf("%s is no regular file", t.given).Advise("only files are restored")
	}

	data, err := safeopen.ReadFile(safeopen.Foreign, t.real, mostOnDisk)
	if err != nil {
		return nil, problem.Because(err).Advise("what is there must be readable, so that a copy can be kept")
	}
	p.there = true
	p.info = info
	p.content = string(data)
	p.digest = events.Digest([]byte(plainEnds(p.content)))
	return p, nil
}

// leadsOut returns the work tree that the path lies in by its words and leaves through a link; "" for none.
func leadsOut(e *env.Env, t target) string {
	top := e.TopDir()
	real := filepath.Dir(t.real)
	for folder := filepath.Dir(t.path); ; folder = filepath.Dir(folder) {
		if realFolder(folder) == top {
			inside := real == top || strings.HasPrefix(real, top+string(filepath.Separator))
			if inside {
				return ""
			}
			return top
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// compare notes the version that has the content on disk.
func (p *present) compare(v versions.Version) {
	if p.there && sameAsNow(v, p.content) {
		p.seq = cmp.Or(v.Seq, v.Before)
		p.digest = events.Digest([]byte(v.Content))
	}
}

// contentOf returns what is to be written for a version: its content, with the ends of lines that the file has on disk
// where the version's own are not known.
func (p *present) contentOf(v versions.Version) string {
	content := v.OnDisk()
	if v.Ends == versions.UnknownEnds && p.endsInCRLF() && !strings.Contains(content, "\r") {
		return strings.ReplaceAll(content, "\n", "\r\n")
	}
	return content
}

// endsInCRLF reports whether all lines of the file on disk end with "\r\n".
func (p *present) endsInCRLF() bool {
	n := strings.Count(p.content, "\r\n")
	return n > 0 && n == strings.Count(p.content, "\n")
}

// cautions says what a person should know before the question.
func (p *present) cautions(c choice, content string) []string {
	var list []string
	if c.left > 0 {
		list = append(list, "warning: "+leftOut(c.left))
	}
	for _, doubt := range c.Doubts {
		list = append(list, "warning: "+doubt)
	}
	if content != c.OnDisk() {
		list = append(list, "note: its lines will end with CR LF, as those of the file on disk do")
	}
	switch {
	case !p.there:
		list = append(list, "note: there is no such file now")
	case p.seq == 0:
		list = append(list, fmt.Sprintf("warning: what is there now (%s) is in no record of the log; a copy is kept", cmdline.Bytes(uint64(len(p.content)))))
	default:
		list = append(list, fmt.Sprintf("note: what is there now is the version of event %d; a copy is kept", p.seq))
	}
	return list
}

// replace keeps a copy of what is there and writes the content in its place. It returns the path of the copy.
func (p *present) replace(e *env.Env, content string) (kept string, err error) {
	if p.there {
		if kept, err = p.keep(e); err != nil {
			return "", problem.Faultf("keep a copy of %s: %w", p.path, err).Advise("nothing was changed")
		}
	} else if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
		return "", problem.Because(err).Advise("nothing was changed")
	}

	temp, err := p.beside(content)
	if err == nil {
		err = p.unchanged()
	}
	if err == nil {
		err = os.Rename(temp, p.path)
	}
	if err != nil {
		if temp != "" {
			_ = os.Remove(temp)
		}
		return "", problem.Faultf("write %s: %w", p.path, err).Advise("nothing was changed")
	}
	_ = safeopen.SyncDir(filepath.Dir(p.path)) // the content is on disk; a rename that a crash undoes leaves the old file
	return kept, nil
}

// keep writes what is there into the home's folder of replaced files.
func (p *present) keep(e *env.Env) (string, error) {
	folder := filepath.Join(e.Home(), "replaced")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	base := filepath.Base(p.path)
	name := e.Now().UTC().Format("20060102T150405.000") + "-" + base[max(0, len(base)-mostName):]
	path := filepath.Join(folder, name)

	file, err := safeopen.Write(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(p.content)
	if err == nil {
		err = file.Sync()
	}
	return path, errors.Join(err, file.Close())
}

// mostName bounds the name of a file in that of its copy, in bytes; file systems take 255 in all.
const mostName = 200

// beside writes the content into a hidden file in the file's folder: with the mode and owner of the file there, else with
// those of any new file.
func (p *present) beside(content string) (string, error) {
	if p.there {
		return safeopen.Beside(p.path, []byte(content), p.info, 0)
	}
	temp := filepath.Join(filepath.Dir(p.path), "."+filepath.Base(p.path)+".hookline")
	//nolint:forbidigo // O_EXCL opens nothing that is there; the file is the user's and has the mode of any new one
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(content)
	if err == nil {
		err = file.Sync()
	}
	return temp, errors.Join(err, file.Close())
}

// unchanged returns an error where the file is not as it was before the question.
func (p *present) unchanged() error {
	info, err := os.Lstat(p.path)
	if !p.there {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.New("there is a file meanwhile")
	}
	if err != nil || !info.Mode().IsRegular() {
		return errors.New("the file was changed meanwhile")
	}
	data, err := safeopen.ReadFile(safeopen.Foreign, p.path, mostOnDisk)
	if err != nil {
		return err
	}
	if string(data) != p.content {
		return errors.New("the file was changed meanwhile")
	}
	return nil
}

// record appends the restore to the log and returns its sequence. A restore that cannot be recorded is done all the same,
// and said.
func record(ctx context.Context, e *env.Env, p *present, c choice, out restoredJSON) uint64 {
	event := &events.FileRestored{
		File:     p.path,
		From:     out.From,
		Found:    c.Seq == 0,
		Digest:   events.Digest([]byte(c.Content)),
		Size:     out.Bytes,
		Replaced: p.digest,
		Copy:     out.Copy,
		By:       e.Caller(),
	}
	r, err := emit.Event(ctx, e, ownerOf(ctx, e, p.path), event)
	if err != nil {
		e.Say("warning: the restore is not in the log: " + err.Error())
		return 0
	}
	return r.Seq
}

// ownerOf returns what a restore belongs to: the session that runs it, else the project of the file, where it is known.
func ownerOf(ctx context.Context, e *env.Env, path string) emit.Owner {
	if id := e.Getenv("CLAUDE_CODE_SESSION_ID"); id != "" {
		s, err := query.StateOf[session.State](ctx, e, session.Name, id)
		if err == nil {
			return emit.Owner{Session: id, Project: s.Project}
		}
	}

	projects, err := query.Projects(ctx, e)
	if err != nil {
		return emit.Owner{}
	}
	here := query.ProjectAt(projects, e.Place(filepath.Dir(path)).Path())
	for _, p := range projects {
		if p.ID == here {
			return emit.Owner{Project: here}
		}
	}
	return emit.Owner{}
}

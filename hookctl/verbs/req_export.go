package verbs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
)

func (a *app) reqExportCmd() *cobra.Command {
	var branch, dir string
	cmd := &cobra.Command{
		Use: "export", Short: "Write the state in the requirements framework's shape",
		Long: "Print one branch's state in the requirements framework's shape, or with --dir write every branch's file and\n" +
			"sessions.json into a folder. No file is overwritten.",
		Example: "  hookctl req export\n  hookctl req export --dir old-state",
		Args:    cmdline.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reading(cmd.Context(), func(h house) error { return a.exportReq(cmd.Context(), h, branch, dir) })
		},
	}
	cmd.Flags().StringVarP(&branch, "branch", "b", "", "of another branch")
	cmd.Flags().StringVar(&dir, "dir", "", "write files into this folder")
	return cmd
}

func (a *app) exportReq(ctx context.Context, h house, branch, dir string) error {
	if dir == "" {
		d, err := a.desk(ctx, h, branch)
		if err != nil {
			return err
		}
		b, err := json.MarshalIndent(exported(d.branch, d.place.Worktree, d.state), "", "  ")
		if err == nil {
			a.Printf("%s\n", b)
		}
		return err
	}
	d, err := a.deskOfProject(ctx, h)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.Cwd, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &cmdline.Fault{Message: err.Error()}
	}
	return d.exportAll(dir, branch)
}

// writtenJSON is what `req export --dir --json` prints.
type writtenJSON struct {
	Files []string `json:"files" jsonschema_description:"that were written, sessions.json last"`
}

// exportAll writes a file a branch, or only one branch's, and the registry.
func (d *desk) exportAll(dir, only string) error {
	files, taken := []string{}, map[string]bool{"sessions.json": true}
	for _, t := range d.tracked() {
		if only != "" && t.Branch != only {
			continue
		}
		name := stateName(t.Branch)
		if taken[strings.ToLower(name)] { // the framework cannot tell these branches apart
			sum := sha256.Sum256([]byte(t.Branch))
			name = strings.TrimSuffix(name, ".json") + "-" + hex.EncodeToString(sum[:4]) + ".json"
		}
		taken[strings.ToLower(name)] = true
		if err := d.exportFile(filepath.Join(dir, name), exported(t.Branch, d.place.Worktree, d.on(t.Branch))); err != nil {
			return err
		}
		files = append(files, filepath.Join(dir, name))
	}
	out := registryFile{Version: stateVersion, Sessions: map[string]registryEntry{}}
	for _, s := range d.live(true) {
		out.Sessions[events.Alias(s.ID)] = registryEntry{PID: s.Process().PID, PPID: s.Process().PID, ProjectDir: s.Worktree, Branch: s.Branch,
			StartedAt: secondsOf(s.Started), LastActive: secondsOf(s.LastActive)}
	}
	if err := d.exportFile(filepath.Join(dir, "sessions.json"), out); err != nil {
		return err
	}
	files = append(files, filepath.Join(dir, "sessions.json"))
	if d.a.JSON {
		return d.a.PrintJSON(writtenJSON{files})
	}
	for _, f := range files {
		d.a.Printf("✅ Wrote %s\n", f)
	}
	return nil
}

func (d *desk) exportFile(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	err = writeNew(file, append(b, '\n'))
	if errors.Is(err, fs.ErrExist) {
		return &cmdline.Fault{Message: file + " is there already", Hint: "give another folder: no file is overwritten"}
	}
	return err
}

// secondsOf is a time in the file's form; 0 where it is not known.
func secondsOf(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.Unix())
}

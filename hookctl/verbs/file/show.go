package file

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events/versions"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
)

func showCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Hookfind, command.Text{
		Use:   "show PATH",
		Short: "Print a file as it was at a point of the log",
		Long: "Print a file as it was at a point of the log, byte for byte as far as the log has it; what is not certain is said on\n" +
			"stderr. Of a file that is known in parts these are printed, each behind a line with its place, and the exit code is 1,\n" +
			"as it is where nothing is known or there was no file.\n\n" + pointForms,
		Example: "  hookctl file show parser.go --at 10m\n" +
			"  hookctl file show parser.go --at before:4711 | diff - parser.go",
	}, &showVerb{}, cmdline.Exactly("a file"))
}

type showVerb struct {
	At string `help:"the point; default: now, as the log has it"`
}

// contentJSON is what `file show --json` prints.
type contentJSON struct {
	Path string `json:"path" jsonschema_description:"of the file, absolute"`
	versionJSON
	Content *string    `json:"content,omitempty" jsonschema_description:"of the file, where it is known as a whole"`
	Parts   []partJSON `json:"parts,omitempty" jsonschema_description:"what is known else"`
}

// partJSON is a piece of a file.
type partJSON struct {
	Line int    `json:"line,omitempty" jsonschema_description:"number of its first line, from 1; absent where its place is not known"`
	Text string `json:"text" jsonschema_description:"its lines"`
}

// Run prints the file.
func (f *showVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	return Show(ctx, e, Question{Path: args[0], At: f.At})
}

// Question asks for a file as it was at a point.
type Question struct {
	Path string
	At   string // the point, as it was typed; "" means now
	From int    // number of the first line that is wanted; 0 means all
}

// Show prints a file as it was at a point.
func Show(ctx context.Context, e *env.Env, q Question) error {
	t := targetOf(e, q.Path)
	m, err := momentOf(ctx, e, q.At)
	if err != nil {
		return err
	}
	c, err := versionAt(ctx, e, t, m, nil)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Verdict(jsonContent(t, c), c.Known == versions.Whole, nil)
	}
	return printContent(e, t, c, q.From)
}

// jsonContent returns a version with its content as it is printed.
func jsonContent(t target, c choice) contentJSON {
	j := contentJSON{Path: t.path, versionJSON: jsonOf(c.Version)}
	if c.Known == versions.Whole {
		content := c.OnDisk()
		j.Content = &content
	}
	for _, p := range c.Pieces {
		j.Parts = append(j.Parts, partJSON{Line: p.Line, Text: p.Text})
	}
	return j
}

// printContent prints a version for people and pipes.
func printContent(e *env.Env, t target, c choice, from int) error {
	if c.left > 0 {
		e.Say("warning: " + leftOut(c.left))
	}
	for _, doubt := range c.Doubts {
		e.Say("warning: " + doubt)
	}
	if c.Redacted {
		e.Say("warning: secrets were replaced by markers before the file's content was recorded")
	}

	switch c.Known {
	case versions.Absent:
		return problem.Faultf("there was no file %s then: %s", t.given, absentWords(c)).Advise(earlierHint(c))
	case versions.Nothing:
		return problem.Faultf("%s was changed, and nothing is known of its content then", t.given).
			Advise("`hookctl file log` lists what is known")
	case versions.Parts:
		printParts(e, c)
		e.Say("warning: only parts of the file are known: " + partWords(c.Version))
		return cmdline.Silent(1)
	}

	text := fromLine(c.OnDisk(), from)
	if !e.Terminal {
		_, err := io.WriteString(e.Out, text)
		return err
	}
	e.Verbatim(text)
	return nil
}

// fromLine returns a text from a line on.
func fromLine(text string, from int) string {
	for range from - 1 {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			return ""
		}
		text = rest
	}
	return text
}

// absentWords says why there was no file.
func absentWords(c choice) string {
	if c.How == versions.Deleted {
		return fmt.Sprintf("event %d removed it", c.Seq)
	}
	return fmt.Sprintf("event %d found none", c.Before)
}

// earlierHint names the version before.
func earlierHint(c choice) string {
	if c.before.Seq == 0 {
		return "`hookctl file log` lists what is known"
	}
	return fmt.Sprintf("--at %d shows the version before", c.before.Seq)
}

// printParts prints the parts of a file, each behind a line with its place.
func printParts(e *env.Env, c choice) {
	for _, p := range c.Pieces {
		place := "a text whose place is not known"
		if p.Line > 0 {
			place = "lines " + lineRange(p, c.Lines)
		}
		e.Verbatim("@@ " + place + " @@\n" + p.Text + "\n")
	}
}

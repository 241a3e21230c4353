package verbs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
)

// findingJSON is a line of `doctor --redaction --json`. It never holds the secret.
type findingJSON struct {
	Line  int    `json:"line" jsonschema_description:"from 1"`
	Start int    `json:"start" jsonschema_description:"offset in bytes"`
	End   int    `json:"end" jsonschema_description:"offset behind the last byte"`
	Kind  string `json:"kind" jsonschema_description:"of the secret, as in [REDACTED:kind]"`
	Rule  string `json:"rule" jsonschema_description:"that found it"`
}

// maxRedaction bounds the file that is looked at, as the daemon bounds a frame.
const maxRedaction = 64 << 20

// redaction shows what would be redacted in a file. Nothing of the file's content is printed.
func (a *app) redaction(path string) error {
	text, err := a.readFile(path)
	if err != nil {
		return problem.Because(err).Advise("a file of text is read, or stdin with -")
	}
	found := a.findSecrets(text)
	t := cmdline.Table{Head: []string{"LINE", "BYTES", "KIND", "RULE"}, Columns: a.Columns}
	err = cmdline.PrintList(&a.Console, t, "nothing would be redacted", found, func(f findingJSON) []string {
		return []string{strconv.Itoa(f.Line), fmt.Sprintf("%d–%d", f.Start, f.End), "[REDACTED:" + f.Kind + "]", f.Rule}
	})
	if len(found) > 0 && !a.JSON {
		a.Printf("\n%s would be redacted\n", cmdline.Plural(len(found), "secret"))
	}
	return err
}

func (a *app) readFile(path string) ([]byte, error) {
	in := a.In
	if path != "-" {
		file, err := os.Open(path) //nolint:forbidigo // the user names it, and may name a pipe
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxRedaction+1))
	if err == nil && len(text) > maxRedaction {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxRedaction)
	}
	return text, err
}

// findSecrets is what the built-in rules and the configuration's own expressions find, by place.
func (a *app) findSecrets(text []byte) []findingJSON {
	var all []findingJSON
	for _, f := range redact.New().Find(text) {
		all = append(all, findingJSON{Line: f.Line, Start: f.Start, End: f.End, Kind: f.Kind, Rule: f.Rule})
	}
	for _, expr := range a.conf.Values.RedactExtra {
		for _, at := range regexp.MustCompile(expr).FindAllIndex(text, -1) { // compiled before, when the configuration was read
			if at[0] < at[1] {
				all = append(all, findingJSON{Line: 1 + bytes.Count(text[:at[0]], []byte("\n")), Start: at[0], End: at[1], Kind: "custom", Rule: "redact_extra"})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y findingJSON) int { return x.Start - y.Start })
	return all
}

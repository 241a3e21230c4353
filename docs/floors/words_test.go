package floors

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// wordTable is the table "One word on every floor" of docs/architecture.md.
type wordTable struct {
	folders []string // what the head of each column names, such as "events/"; "" for a column of prose
	rows    []wordRow
}

// wordRow is one line of it.
type wordRow struct {
	word  string
	cells [][]string // the names in each column
}

var quotedName = regexp.MustCompile("`([^`]+)`")

// readWords takes the table below its heading.
func readWords(t *testing.T) wordTable {
	t.Helper()
	text := string(expect.Value(os.ReadFile("../architecture.md"))(t))
	_, section, found := strings.Cut(text, "## One word on every floor\n")
	if !found {
		t.Fatal("docs/architecture.md has no section \"One word on every floor\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")

	var table wordTable
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		var named [][]string
		for _, cell := range cells {
			var list []string
			for _, m := range quotedName.FindAllStringSubmatch(cell, -1) {
				list = append(list, m[1])
			}
			named = append(named, list)
		}

		if table.folders == nil {
			for _, list := range named {
				table.folders = append(table.folders, strings.Join(list, " "))
			}
			continue
		}
		expect.EqualNow(t, len(cells), len(table.folders), "number of cells of", line)
		table.rows = append(table.rows, wordRow{word: strings.TrimSpace(cells[0]), cells: named})
	}
	if len(table.rows) < 10 {
		t.Fatalf("the table of words has %d rows, want ten or more", len(table.rows))
	}
	return table
}

// names lists what a column names, for all words.
func (w wordTable) names(folder string) []string {
	column := slices.Index(w.folders, folder)
	var list []string
	for _, row := range w.rows {
		list = append(list, row.cells[column]...)
	}
	return list
}

// TestWordsNameWhatIsThere: every file and folder that the table names exists. What has no ending is a folder, or a file
// of Go without its ending.
func TestWordsNameWhatIsThere(t *testing.T) {
	table := readWords(t)
	for _, row := range table.rows {
		for i, folder := range table.folders {
			for _, name := range row.cells[i] {
				path := filepath.Join(root, folder, name)
				_, asFile := os.Stat(path)
				_, asGo := os.Stat(path + ".go")
				if asFile != nil && asGo != nil {
					t.Errorf("docs/architecture.md, word %q: %s%s does not exist", row.word, folder, name)
				}
			}
		}
	}
}

// shared are folders that belong to no word, by the folder that they are in.
var shared = map[string][]string{
	"projector/":     {"tables"},
	"hookctl/verbs/": {"command", "emit", "env", "query", "show", "testdata"},
}

// TestEveryFileHasAWord: no file of events and hook and no folder of projector and verbs is missing in the table, or is in
// it twice.
func TestEveryFileHasAWord(t *testing.T) {
	table := readWords(t)
	for _, folder := range []string{"events/", "hookctl/hook/", "projector/", "hookctl/verbs/"} {
		named := table.names(folder)
		for _, entry := range expect.Value(os.ReadDir(filepath.Join(root, folder)))(t) {
			name := entry.Name()
			product := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
			if others, folders := shared[folder]; folders {
				product = entry.IsDir() && !slices.Contains(others, name)
			}
			if !product {
				continue
			}

			count := 0
			for _, n := range named {
				if n == name {
					count++
				}
			}
			if count != 1 {
				t.Errorf("docs/architecture.md names %s%s %d times in the table of words, want once", folder, name, count)
			}
		}
	}
}

package requirements

import (
	"os"
	"strings"
	"testing"
)

// sectionsOf reads the lines of a file in testdata by the headings they stand under.
func sectionsOf(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	sections, title := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch name, heading := strings.CutPrefix(line, "## "); {
		case heading:
			title = name
		case title != "" && strings.TrimSpace(line) != "":
			sections[title] = append(sections[title], strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(line))
		}
	}
	return sections
}

func TestSpellings(t *testing.T) {
	sections := sectionsOf(t, "spellings.txt")
	all, elsewhere, texts := sections["gates and refusals"], sections["gates and refusals, but rm is elsewhere"], sections["gates: a text for another program"]
	equal(t, "spellings", []int{len(all), len(elsewhere), len(texts)}, []int{386, 8, 19})
	for command, pattern := range map[string]string{
		"git -C d push": push, "git -c a=b commit -q": `git\s+(commit|cherry-pick|revert|merge)`, "/usr/bin/git reset --hard HEAD~1": `git\s+reset\s+--hard`,
		"rm -rf x": `rm\s+-rf`,
	} {
		for _, section := range sections {
			for _, line := range section {
				if line = strings.ReplaceAll(line, "@@", command); !gated(t, pattern, line) {
					t.Errorf("a gate does not see %q", line)
				}
			}
		}
	}
	for command, rule := range map[string]string{
		"git -C d push -f": "force_push_short", "git reset --hard origin/main": "reset_remote", "git clean -fdx": "git_clean", "rm -rf /srv": "rm_root",
	} {
		for _, line := range all {
			line = strings.ReplaceAll(line, "@@", command)
			equal(t, line, danger(t, line), rule)
		}
		for _, line := range elsewhere {
			line = strings.ReplaceAll(line, "@@", command)
			if rule == "rm_root" {
				equal(t, line, danger(t, line), "")
				continue
			}
			equal(t, line, danger(t, line), rule)
		}
	}
}

func TestLookalikes(t *testing.T) {
	sections := sectionsOf(t, "lookalikes.txt")
	equal(t, "look-alikes", []int{len(sections["push"]), len(sections["commit"]), len(sections["refusals"]), len(sections["pushes all the same"])}, []int{305, 40, 133, 59})
	unseen(t, sections["push"]...)
	seen(t, sections["pushes all the same"]...)
	for _, line := range sections["commit"] {
		equal(t, line, gated(t, `git\s+(commit|cherry-pick|revert|merge)`, line), false)
	}
	for _, line := range sections["refusals"] {
		equal(t, line, danger(t, line), "")
	}
}

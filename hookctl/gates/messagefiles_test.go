package gates

import "testing"

// withTexts loads a project's configuration with message files beside it, by their paths below /repo/.claude or the home.
func withTexts(config string, files map[string]string) Rules {
	all := map[string]string{projectFile: config}
	for name, text := range files {
		all[name] = text
	}
	return Load(Options{Home: "/home/dev", Root: "/repo", Read: texts(all)})
}

const (
	planRule     = "requirements:\n  plan: {enabled: true, message: INLINE, short_message: inline}\n"
	localTexts   = "/repo/.claude/messages.local/plan.yaml"
	projectTexts = "/repo/.claude/messages/plan.yaml"
	globalTexts  = "/home/dev/.claude/messages/plan.yaml"
)

// The first file that is found counts whole, and before the configuration.
func TestMessageFileCascade(t *testing.T) {
	local, own, global := "blocking_message: LOCAL\n", "blocking_message: PROJECT\nshort_message: project\n", "blocking_message: GLOBAL\nshort_message: global\n"
	for _, c := range []struct {
		files       map[string]string
		text, short string
	}{
		{nil, "INLINE", "inline"},
		{map[string]string{globalTexts: global}, "GLOBAL", "global"},
		{map[string]string{globalTexts: global, projectTexts: own}, "PROJECT", "project"},
		{map[string]string{globalTexts: global, projectTexts: own, localTexts: local}, "LOCAL", "inline"}, // whole: nothing of the project's
	} {
		r := withTexts(planRule, c.files)
		equal(t, "problems", r.Problems, []Problem(nil))
		equal(t, "texts", []string{r.ByName["plan"].Message, r.ByName["plan"].ShortMessage}, []string{c.text, c.short})
	}
}

func TestMessageFileMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"blocking_message: 5\n", ":1:19: Requirement 'plan' field 'blocking_message' must be str"},
		{"- a\n", ":1:1: the file must be a mapping, got list"},
		{"version: '1.0'\nblocking_mesage: x\n", ":2:1: unknown key 'blocking_mesage'"},
		{"blocking_message: 'x\n", ":1:19: could not find end character of single-quoted text"},
	} {
		r := withTexts(planRule, map[string]string{projectTexts: c.text, globalTexts: "blocking_message: GLOBAL\n"})
		if len(r.Problems) != 1 || r.Problems[0].Error() != projectTexts+c.want || r.Problems[0].Requirement != "plan" {
			t.Errorf("%q: %+v", c.text, r.Problems)
		}
		equal(t, "the gate has its own text", []any{r.ByName["plan"].Message, r.ByName["plan"].Enabled}, []any{"INLINE", true})
	}
	for _, empty := range []string{"", "# all commented out\n"} {
		r := withTexts(planRule, map[string]string{projectTexts: empty})
		equal(t, empty, []any{r.Problems, r.ByName["plan"].Message}, []any{[]Problem(nil), "INLINE"})
	}
}

// A name that leads out of the folder is no file of it.
func TestMessageFileNames(t *testing.T) {
	r := withTexts("requirements: {'../plan': {enabled: true, message: own}}", map[string]string{"/repo/.claude/plan.yaml": "blocking_message: x\n"})
	equal(t, "text", r.ByName["../plan"].Message, "own")
}

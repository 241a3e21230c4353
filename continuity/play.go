package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/transcript"
)

// session is one recorded session with what the model was told in it.
type session struct {
	id    string
	cwd   string // where it was
	root  string // where it is played
	hooks []transcript.Hook
	steps []step
}

// step is a hook as it is judged.
type step struct {
	event events.Event
	told  string // what the model was told with it
	asked string // what it would have been told by a compaction after it; "": not asked
}

// loaded reads sessions, in the order of their time. Those without a call are left out.
func loaded(list []transcript.Session) ([]*session, error) {
	var out []*session
	for _, files := range list {
		if files.Main == "" {
			continue
		}
		s := &session{}
		r := transcript.NewReader(files.Main)
		r.Batches = true
		err := transcript.Read(files.Main, func(text []byte) error {
			s.hooks = append(s.hooks, r.Hooks(text)...)
			return nil
		})
		if err != nil {
			return nil, err
		}
		s.hooks = append(s.hooks, r.End()...)
		s.hooks = slices.DeleteFunc(s.hooks, func(h transcript.Hook) bool { return h.Agent == "sidechain" })
		if len(s.hooks) < 2 {
			continue
		}
		s.id, s.cwd = s.hooks[0].Session, s.hooks[0].Cwd
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b *session) int {
		return cmp.Or(a.hooks[0].Time.Compare(b.hooks[0].Time), strings.Compare(a.id, b.id))
	})
	return out, nil
}

// stage is a home with a daemon, and a repository for each project.
type stage struct {
	options
	bin   string
	dir   string
	alone bool              // without the client's summaries
	repo  map[string]string // by where the sessions were
}

func (st *stage) open() (err error) {
	if st.bin, err = filepath.Abs("bin"); err != nil {
		return err
	}
	if st.dir, err = os.MkdirTemp("", "continuity-*"); err != nil {
		return err
	}
	if st.dir, err = filepath.EvalSymlinks(st.dir); err != nil {
		return err
	}
	_, err = st.command(st.dir, nil, "start")
	return err
}

func (st *stage) close() {
	_, _ = st.command(st.dir, nil, "stop") // what is left goes with the folder
	_ = os.RemoveAll(st.dir)
}

// command runs hookctl and gives what it printed.
func (st *stage) command(dir string, in []byte, args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(st.bin, "hookctl"), args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + st.dir, "HOOKLINE_HOME=" + filepath.Join(st.dir, "state"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + st.dir, "CLAUDE_PROJECT_DIR=" + dir}
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("hookctl %s: %w: %s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out, nil
}

// repository is the folder that stands for a project's.
func (st *stage) repository(cwd string) (string, error) {
	if st.together {
		cwd = ""
	}
	if dir, ok := st.repo[cwd]; ok {
		return dir, nil
	}
	dir := filepath.Join(st.dir, fmt.Sprintf("p%d", len(st.repo)))
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("git init: %w: %s", err, out)
	}
	st.repo[cwd] = dir
	return dir, nil
}

// play sends the session's hooks, as from a folder that is there, and keeps what is told.
func (st *stage) play(s *session) (err error) {
	if s.root, err = st.repository(s.cwd); err != nil {
		return err
	}
	calls := 0
	for _, h := range s.hooks {
		h.Data = bytes.ReplaceAll(h.Data, quotedInside(s.cwd), quotedInside(s.root))
		e := h.Event()
		mirror(s.root, e)
		now := step{event: e}
		if summary, ok := e.(*events.SubagentStopped); !st.alone || !ok || summary.AgentType != "" {
			if now.told, err = st.hook(s.root, h); err != nil {
				return err
			}
		}
		if h.Agent == "" && (h.Name == "PostToolUse" || h.Name == "PostToolUseFailure") {
			calls++
			if st.every > 0 && calls%st.every == 0 {
				if now.asked, err = st.ask(s); err != nil {
					return err
				}
			}
		}
		s.steps = append(s.steps, now)
	}
	end := fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"SessionEnd","reason":"other"}`, s.id, s.root)
	_, err = st.command(s.root, []byte(end), "hook", "SessionEnd")
	return err
}

// ask gives what a compaction at this moment would tell.
func (st *stage) ask(s *session) (string, error) {
	out, err := st.command(s.root, nil, "context", "show", "--session", s.id, "--json")
	if err != nil {
		return "", err
	}
	var shown struct{ Text string }
	err = json.Unmarshal(out, &shown)
	return shown.Text, err
}

// hook sends one hook and gives what the model was told.
func (st *stage) hook(root string, h transcript.Hook) (string, error) {
	out, err := st.command(root, h.Data, "hook", h.Name)
	if err != nil || len(out) == 0 {
		return "", err
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	err = json.Unmarshal(out, &answer)
	return answer.HookSpecificOutput.AdditionalContext, err
}

// quotedInside is a text as it stands within a JSON string.
func quotedInside(text string) []byte {
	b, _ := json.Marshal(text) // a string cannot fail
	return b[1 : len(b)-1]
}

// mirror writes what a call wrote, so that the files are on disk as the session left them.
func mirror(root string, e events.Event) {
	done, ok := e.(*events.ToolSucceeded)
	if !ok {
		return
	}
	in := events.InputOf(done.ToolInput)
	path, content := in.FilePath.Text(), in.Content.Text()
	switch done.ToolName {
	case "Write":
	case "Edit":
		n := 1
		if in.All {
			n = -1
		}
		content = strings.Replace(events.MemberText(done.ToolResponse, "originalFile"), in.OldString.Text(), in.NewString.Text(), n)
	default:
		return
	}
	below, err := filepath.Rel(root, path)
	if err == nil && filepath.IsLocal(below) && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, []byte(content), 0o600) // a file that cannot be written is told as changed: seen in the table
	}
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
)

// stage is a daemon in this process, whose clock is that of the recorded hooks, with the disk that it sees.
type stage struct {
	options
	alone bool   // without the client's summaries
	dir   string // below which everything is played

	daemon *daemon.Daemon
	api    *client.Client
	clock  atomic.Int64 // Unix ms

	sessions []*session
	places   *places
	ground   ground
	disk     *disk
	clients  map[*session]*process
	scripts  map[*file]*script
	left     map[*session]int // hooks that are not played yet
	calls    map[*session]int
}

// script is a transcript as far as it is written.
type script struct {
	path    string
	written int // lines
}

// played plays the sessions of a project, all of their hooks in the order of their times.
func played(ctx context.Context, o options, p project, alone bool) (err error) {
	st, err := newStage(ctx, o, p.sessions, alone)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(ctx)) }()

	hooks := inOrder(p.sessions)
	st.prepare(hooks)
	for _, h := range hooks {
		if err := st.play(ctx, h); err != nil {
			return fmt.Errorf("session %s, %s, line %d: %w", h.session.id, h.file.path, h.line, err)
		}
	}
	return nil
}

// newStage opens a stage. Its folder's name has always the same length: it stands in what is told.
func newStage(ctx context.Context, o options, sessions []*session, alone bool) (*stage, error) {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("find the folder for temporary files: %w", err)
	}
	st := &stage{options: o, alone: alone, dir: filepath.Join(temp, fmt.Sprintf("stage-%08x", rand.Uint32())),
		clients: map[*session]*process{}, scripts: map[*file]*script{}, left: map[*session]int{}, calls: map[*session]int{}}
	if err := os.Mkdir(st.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a stage: %w", err)
	}
	st.sessions = sessions
	st.disk = newDisk(st.dir)
	st.places = placesOf(st.dir, sessions)
	if o.together {
		for _, s := range sessions {
			st.places.instead(s.cwd, st.dir+"/together")
		}
	}
	if err := st.found(sessions); err != nil {
		return nil, err
	}

	now := func() time.Time { return time.UnixMilli(st.clock.Load()).UTC() }
	if len(sessions) > 0 {
		st.clock.Store(sessions[0].files[0].hooks[0].at.UnixMilli())
	}
	st.daemon, err = daemon.Open(ctx, daemon.Options{Home: filepath.Join(st.dir, "state"), Now: now})
	if err != nil {
		return nil, fmt.Errorf("open a daemon: %w", err)
	}
	st.api = client.InProcess(client.Local{Handler: st.daemon.Handler()})
	return st, nil
}

// found makes the repositories, and gives each session its work tree.
func (st *stage) found(sessions []*session) error {
	st.ground = groundOf(sessions)
	for _, s := range sessions {
		s.steps = nil
		s.back = st.places.back
		repo, tree := st.ground.place(s.cwd)
		s.repo, s.root = cmp.Or(repo, s.cwd), st.places.to(cmp.Or(tree, s.cwd))
		if st.together {
			s.repo = ""
		}
		if repo == "" {
			continue
		}

		main := st.places.to(repo)
		if _, err := os.Stat(filepath.Join(main, ".git")); err != nil {
			if out, err := exec.Command("git", "init", "-q", main).CombinedOutput(); err != nil {
				return fmt.Errorf("git init: %w: %s", err, out)
			}
		}
		if tree != repo {
			if err := st.link(repo, tree); err != nil {
				return err
			}
		}
	}
	return nil
}

// link makes a linked work tree of a repository, as git does.
func (st *stage) link(main, tree string) error {
	dir := st.places.to(tree)
	own := st.linkOf(main, tree)
	for name, content := range map[string]string{
		filepath.Join(dir, ".git"):      "gitdir: " + own + "\n",
		filepath.Join(own, "gitdir"):    filepath.Join(dir, ".git") + "\n",
		filepath.Join(own, "commondir"): "../..\n",
		filepath.Join(own, "HEAD"):      "ref: refs/heads/" + filepath.Base(tree) + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("make a work tree: %w", err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return fmt.Errorf("make a work tree: %w", err)
		}
	}
	return nil
}

// linkOf is the folder in which a repository keeps what it knows of a linked work tree.
func (st *stage) linkOf(main, tree string) string {
	name := strings.ReplaceAll(strings.Trim(tree, "/"), "/", "-")
	return filepath.Join(st.places.to(main), ".git", "worktrees", name)
}

func (st *stage) close(ctx context.Context) error {
	for _, p := range st.clients {
		p.end()
	}
	err := st.daemon.Close(ctx)
	return errors.Join(err, os.RemoveAll(st.dir))
}

// prepare puts on the disk what was there before the first hook.
func (st *stage) prepare(hooks []recorded) {
	s := newSeeds()
	for _, h := range hooks {
		st.left[h.session]++
		if h.Name == "PreToolUse" || h.Name == "PostToolUse" || h.Name == "PostToolUseFailure" {
			s.take(st.eventOf(h), st.places.to(h.Cwd))
		}
	}
	s.plant(st.disk)
}

// eventOf returns the event of a hook, with the paths of the stage.
func (st *stage) eventOf(h recorded) events.Event {
	h.Data = st.places.mapped(h.Data)
	return h.Event()
}

// play sends one hook, and keeps what is told.
func (st *stage) play(ctx context.Context, h recorded) error {
	st.clock.Store(h.at.UnixMilli())
	if err := st.setUp(h); err != nil {
		return err
	}

	s := h.session
	e := st.eventOf(h)
	st.disk.take(e, st.places.to(h.Cwd))
	now := step{event: e, time: h.at, file: h.file.path, line: h.line}
	if summary, ok := e.(*events.SubagentStopped); !st.alone || !ok || summary.AgentType != "" {
		var err error
		if now.told, err = st.hook(ctx, h); err != nil {
			return err
		}
	}
	if err := st.askBetween(ctx, h, &now); err != nil {
		return err
	}
	st.look(h, &now)
	s.steps = append(s.steps, now)

	st.left[s]--
	if st.left[s] == 0 { // the transcript has no end of a session: its client is gone, and that is all
		st.clients[s].end()
		delete(st.clients, s)
	}
	return nil
}

// setUp makes the world of a hook as it was then: the client's process, the folder that it is in with its branch, and the
// transcript as far as the client had written it.
func (st *stage) setUp(h recorded) error {
	s := h.session
	if st.clients[s] == nil {
		p, err := newProcess(s.origin)
		if err != nil {
			return err
		}
		st.clients[s] = p
	}
	cwd := st.places.to(h.Cwd)
	if err := os.MkdirAll(cwd, 0o700); err != nil {
		return fmt.Errorf("make the folder of a hook: %w", err)
	}
	if err := st.checkOut(h); err != nil {
		return err
	}
	return st.write(h)
}

// checkOut sets the branch that the client saw.
func (st *stage) checkOut(h recorded) error {
	repo, tree := st.ground.place(h.Cwd)
	if repo == "" || h.Branch == "" || h.Branch == "HEAD" {
		return nil
	}
	head := filepath.Join(st.places.to(repo), ".git", "HEAD")
	if tree != repo {
		head = filepath.Join(st.linkOf(repo, tree), "HEAD")
	}
	if _, err := os.Stat(head); err != nil {
		return nil // no session was launched there
	}
	want := "ref: refs/heads/" + h.Branch + "\n"
	if contentOf(head) == want {
		return nil
	}
	if err := os.WriteFile(head, []byte(want), 0o600); err != nil {
		return fmt.Errorf("set the branch: %w", err)
	}
	return nil
}

// write goes on with the transcript of a hook up to the line that its hook can read.
func (st *stage) write(h recorded) error {
	sc := st.scripts[h.file]
	if sc == nil {
		sc = &script{path: st.scriptOf(h.file)}
		st.scripts[h.file] = sc
	}
	to := h.readable()
	if to <= sc.written {
		return nil
	}
	var b bytes.Buffer
	for _, line := range h.file.lines[sc.written:to] {
		b.Write(st.places.mapped(line))
		b.WriteByte('\n')
	}
	sc.written = to
	if err := os.MkdirAll(filepath.Dir(sc.path), 0o700); err != nil {
		return fmt.Errorf("make the folder of a transcript: %w", err)
	}
	f, err := os.OpenFile(sc.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open a transcript: %w", err)
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}

// scriptOf is where a transcript is written.
func (st *stage) scriptOf(f *file) string { return filepath.Join(st.dir, "transcripts", f.below) }

// hook sends one hook and returns what the model was told, when what follows from it has happened.
func (st *stage) hook(ctx context.Context, h recorded) (string, error) {
	s := h.session
	body := bytes.Replace(st.places.mapped(h.Data), quotedInside(h.file.path), quotedInside(st.scriptOf(h.file)), 1)
	if h.Name == "SubagentStop" {
		body = bytes.ReplaceAll(body, quotedInside(h.file.path), quotedInside(st.scriptOf(h.file)))
	}
	pid := st.clients[s].pid()
	launch := st.places.to(s.cwd)
	env := map[string]string{"CLAUDE_PROJECT_DIR": launch, "CLAUDE_PID": strconv.Itoa(pid), "CLAUDE_CODE_SESSION_ID": s.id}
	if s.entrypoint != "" {
		env["CLAUDE_CODE_ENTRYPOINT"] = s.entrypoint
	}
	f := wire.Frame{ID: h.ID, Args: []string{"hook", h.Name}, Cwd: st.places.to(h.Cwd), PPID: pid, Time: h.at.UnixMilli(), Env: env,
		Binary: "hookctl", Complete: true, Size: int64(len(body)), Body: body}
	out, err := st.daemon.Take(ctx, f)
	if err != nil {
		return "", fmt.Errorf("take %s: %w", h.Name, err)
	}
	if err := st.daemon.Settle(ctx); err != nil {
		return "", fmt.Errorf("wait for what follows from %s: %w", h.Name, err)
	}

	if len(out.Stdout) == 0 {
		return "", nil
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal(out.Stdout, &answer); err != nil { // plain words, as to PreCompact
		return string(out.Stdout), nil
	}
	return answer.HookSpecificOutput.AdditionalContext, nil
}

// askBetween asks behind every Nth call of the session itself what a compaction at this moment would tell.
func (st *stage) askBetween(ctx context.Context, h recorded, now *step) error {
	ended := h.Name == "PostToolUse" || h.Name == "PostToolUseFailure"
	if h.Agent != "" || !ended || st.every == 0 {
		return nil
	}
	st.calls[h.session]++
	if st.calls[h.session]%st.every != 0 {
		return nil
	}
	shown, err := api.Context.Call(ctx, st.api, api.ContextRequest{Session: h.session.id})
	if err != nil {
		return fmt.Errorf("ask for the context: %w", err)
	}
	now.asked = shown.Text
	return nil
}

// look asks the disk for the paths that were told, and for the files of the session that are no longer there.
func (st *stage) look(h recorded, now *step) {
	s := h.session
	told := toldOf(s.root, now.told+"\n"+now.asked)
	isStart := kindOf(*now) != ""
	if strings.TrimSpace(string(told)) == "" && !isStart {
		return
	}
	now.paths = map[string]path{}
	for _, name := range pathsTold(s.root, now.told+"\n"+now.asked) {
		now.paths[name] = st.lookFor(s, string(told), name)
	}
	if !isStart && now.asked == "" {
		return
	}
	now.gone = map[string]bool{}
	for name := range st.disk.known {
		if st.disk.look(name) != present {
			now.gone[below(s.root, name)] = true
		}
	}
}

// lookFor says what a told path was. What another work tree of the repository has is doubtful, unless it is told as that of
// a session which worked there.
func (st *stage) lookFor(s *session, told, name string) path {
	own := st.disk.look(resolve(s.root, name))
	if own != absent || filepath.IsAbs(name) {
		return own
	}
	from := toldFrom.FindStringSubmatch(told)
	for _, other := range st.sessions {
		if other.repo != s.repo || other.root == s.root || st.disk.look(resolve(other.root, name)) == absent {
			continue
		}
		own = doubtful
		named := from != nil && strings.HasPrefix(other.id, from[1])
		if named && strings.Contains(told, from[0]+", ") && strings.Contains(told, ", in "+wordingStart(other.root)) {
			return st.disk.look(resolve(other.root, name))
		}
	}
	return own
}

// wordingStart is the beginning of a folder, as far as it is told for sure.
func wordingStart(root string) string { return root[:min(len(root), 40)] }

// quotedInside is a text as it stands within a JSON string.
func quotedInside(text string) []byte {
	b, _ := json.Marshal(text) // a string cannot fail
	return b[1 : len(b)-1]
}

// sorted returns the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

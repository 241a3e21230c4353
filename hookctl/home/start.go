package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"hookline/hookctl/safeopen"
)

// The back-off after a failed start: 1 s, doubled with each further one, at most a minute. After ten
// minutes without an attempt it begins anew.
const (
	firstBackoff = time.Second
	maxBackoff   = time.Minute
	forgetStart  = 10 * time.Minute
)

// Why a daemon was not started.
var (
	ErrStarting = errors.New("another process is starting the daemon, or it runs")
	ErrBackoff  = errors.New("the daemon failed to start a moment ago")
)

// Attempt is the last start of the daemon, kept in spawn.json until one succeeds. It is written before
// the start, so a daemon that dies without a word counts as failed too.
type Attempt struct {
	Time     int64  `json:"time"`     // Unix milliseconds
	Attempts int    `json:"attempts"` // since the last success
	Reason   string `json:"reason"`   // of the failure; "" while it is not known
	Damaged  bool   `json:"damaged"`  // the log itself is the reason
	Gone     bool   `json:"gone"`     // nothing is left of the log
}

// LastStart returns the start that has not succeeded, the zero value when there is none.
func (p Paths) LastStart() Attempt {
	var s Attempt
	if data, err := safeopen.ReadFile(safeopen.Own, p.SpawnState, 64<<10); err == nil && json.Unmarshal(data, &s) != nil {
		return Attempt{}
	}
	return s
}

// Started ends the back-off; the daemon calls it when its socket is open.
func (p Paths) Started() error {
	if err := os.Remove(p.SpawnState); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// StartFailed keeps the reason (with Damaged and Gone) for status, doctor and the user; the daemon calls it before it gives up.
func (p Paths) StartFailed(reason Attempt) error {
	last := p.LastStart()
	reason.Time, reason.Attempts = last.Time, last.Attempts
	return reason.save(p)
}

func (s Attempt) save(p Paths) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return safeopen.Replace(p.SpawnState, data)
}

// wait is how long no further start is tried.
func (s Attempt) wait(now time.Time) time.Duration {
	since := now.Sub(time.UnixMilli(s.Time))
	if s.Attempts == 0 || since < 0 || since > forgetStart {
		return 0
	}
	return max(0, min(maxBackoff, firstBackoff<<min(s.Attempts-1, 10))-since)
}

// Err returns the error while no further start is tried.
func (s Attempt) Err() error {
	if s.Reason == "" {
		return fmt.Errorf("%w: hookd.log may tell why", ErrBackoff)
	}
	return fmt.Errorf("%w: %s", ErrBackoff, s.Reason)
}

// StartDaemon starts a daemon that outlives this process and the hook that called it: own session, no
// parent in the hook's tree, stdio to the log, no keys in its environment. The lock that keeps
// others from doing the same is handed to the daemon, which so holds it for life.
func (p Paths) StartDaemon(now time.Time) error {
	if err := p.Check(); err != nil {
		return err
	}
	if err := Make(p.Home); err != nil {
		return err
	}
	lock, err := LockFile(p.SpawnLock)
	if err != nil {
		return err
	}
	defer lock.Close()
	last := p.LastStart()
	if last.wait(now) > 0 {
		return last.Err()
	}
	if now.Sub(time.UnixMilli(last.Time)) > forgetStart {
		last.Attempts = 0
	}
	if err := (Attempt{Time: now.UnixMilli(), Attempts: last.Attempts + 1, Reason: last.Reason}).save(p); err != nil {
		return err
	}
	log, err := safeopen.Write(p.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer log.Close()
	return start(p, log, lock)
}

// StartDied reports whether the daemon that was starting is gone: it would hold the lock. Where the lock does not outlive the
// starter this is unknown.
func (p Paths) StartDied() bool {
	if !LockOutlives {
		return false
	}
	lock, err := LockFile(p.SpawnLock)
	if err != nil {
		return false
	}
	lock.Close()
	return true
}

// environment returns the daemon's environment: what it needs to find its files and to print, nothing of
// the session that happened to start it, and no key: the client's environment holds its API key.
func environment(p Paths, environ []string) []string {
	env := []string{"HOOKLINE_HOME=" + p.Home, "HOOKLINE_SOCKET=" + p.Socket}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if upper != "HOOKLINE_HOME" && upper != "HOOKLINE_SOCKET" && wanted.MatchString(upper) && !secret.MatchString(upper) {
			env = append(env, kv)
		}
	}
	return env
}

var (
	// wanted are the variables that may pass. It lists what may, not what may not: no list of secrets is ever complete.
	wanted = regexp.MustCompile(`^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TMPDIR|TMP|TEMP|CLAUDE_CONFIG_DIR` +
		`|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|USERNAME|APPDATA|LOCALAPPDATA|PROGRAMDATA` +
		`|GOMAXPROCS|GOMEMLIMIT|GOGC|GODEBUG|GOTRACEBACK|GOCOVERDIR)$|^(HOOKLINE|XDG|LC)_`)

	// secret are names of variables that hold a key; of those that are wanted, too.
	secret = regexp.MustCompile(`_KEY$|TOKEN|SECRET|PASSWORD|CREDENTIAL`)
)

// self returns the program to start: this one, whatever its name; hookfind, which is no daemon, starts the one beside it.
func self() (string, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil || !strings.HasPrefix(filepath.Base(path), "hookfind") {
		return path, err
	}

	beside := filepath.Join(filepath.Dir(path), "hookd"+filepath.Ext(path))
	if _, err := os.Stat(beside); err != nil {
		beside = filepath.Join(filepath.Dir(path), "hookctl"+filepath.Ext(path))
	}
	return beside, nil
}

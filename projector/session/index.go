package session

import "strconv"

// Alive is the index word of all live sessions.
const Alive = "live"

// AliveIn returns the index word of a project's live sessions.
func AliveIn(project string) string { return "live in " + project }

// RunBy returns the index word of the live sessions whose newest process has this id.
func RunBy(pid int) string { return "run by " + strconv.Itoa(pid) }

// Words returns the index words of a session: none unless it is live.
func Words(s State) []string {
	if s.Status != Live {
		return nil
	}

	words := []string{Alive}
	if s.Project != "" {
		words = append(words, AliveIn(s.Project))
	}
	if pid := s.Process().PID; pid != 0 {
		words = append(words, RunBy(pid))
	}
	return words
}

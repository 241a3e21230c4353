package query

import (
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
	"hookline/hookctl/verbs/env"
)

// Rules returns the rules of the gates at a place.
func Rules(e *env.Env, p facts.Place) gates.Rules {
	return gates.Load(gates.Options{Home: e.UserHome(), Root: p.Worktree, Main: p.Main()})
}

// RuleFaults are the parts of this repository's gates that are left out, for verbs that look at the whole
// configuration; none outside of a repository.
func RuleFaults(e *env.Env) []gates.Problem {
	place := e.GitPlace()
	if !place.Git || place.Worktree == "" {
		return nil
	}
	return Rules(e, place).Invalid()
}

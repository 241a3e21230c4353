package verbs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector/identity"
	"hookline/projector/session"
)

type identityResetVerb struct {
	ofSession
}

func (f *identityResetVerb) run(a *app, _ []string) error {
	return a.identityFrom(f.Session, &events.PhasesReset{Reason: "command"})
}

// identityFrom appends an event to a session and prints the identity that follows.
func (a *app) identityFrom(name string, e events.Event) error {
	r, err := a.emitFor(name, e)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(r)
	}
	a.Printf("%s is event %d\n", r.Type, r.Seq)
	if c, err := stateOf[identity.State](a, identity.Name, r.Session); err == nil {
		a.Printf("%s  %s\n", a.Paint.Session(alias(r.Session)), c.Brief())
	}
	return nil
}

// emitFor appends an event to the session that is meant.
func (a *app) emitFor(name string, e events.Event) (events.Record, error) {
	id, err := a.current(name)
	if err != nil {
		return events.Record{}, err
	}
	s, _ := stateOf[session.State](a, session.Name, id) // one that is not known yet has no project
	return a.emit(emission{Type: e.Type(), Session: id, Project: s.Project, Data: e})
}

// observation holds the flags of `identity observe` as they were typed.
type observation struct {
	ofSession
	Vector        string `help:"purpose vector: 13 numbers in [-1, 1], by commas"`
	Phases        string `help:"Kuramoto phases: 13 numbers in radians, by commas"`
	Coupling      string `help:"K, 0 to 2"`
	Accuracy      string `help:"0 to 1"`
	Consciousness string `help:"C, 0 to 1"`
	Observer      string `help:"who measured"`
}

func (o *observation) run(a *app, _ []string) error {
	e, err := o.parse()
	if err == nil {
		err = identity.CheckObserved(&e)
	}
	if err != nil {
		return problem.Because(err).Advise("`hookctl events schema identity.observed` tells the ranges")
	}
	return a.identityFrom(o.Session, &e)
}

// parse reads the numbers. What JSON cannot carry (NaN, infinity) is refused here, by field.
func (o observation) parse() (events.IdentityObserved, error) {
	e := events.IdentityObserved{Observer: o.Observer}
	var err error
	if e.PurposeVector, err = numbers("purpose_vector", o.Vector); err != nil {
		return e, err
	}
	if e.KuramotoPhases, err = numbers("kuramoto_phases", o.Phases); err != nil {
		return e, err
	}
	for _, f := range []struct {
		name, text string
		to         **float64
	}{{"coupling", o.Coupling, &e.Coupling}, {"accuracy", o.Accuracy, &e.Accuracy}, {"consciousness", o.Consciousness, &e.Consciousness}} {
		if f.text == "" {
			continue
		}
		v, err := oneNumber(f.name, f.text)
		if err != nil {
			return e, err
		}
		*f.to = &v
	}
	return e, nil
}

// numbers reads a list; nil for none.
func numbers(field, text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var list []float64
	for i, part := range strings.Split(text, ",") {
		v, err := oneNumber(fmt.Sprintf("%s[%d]", field, i+1), strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func oneNumber(field, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %s: %q is no number", identity.ErrObserved, field, text)
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%w: %s: %v is not a finite number", identity.ErrObserved, field, v)
	}
	return v, nil
}

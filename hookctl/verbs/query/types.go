package query

import (
	"path"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/problem"
)

// KnownTypes judges names and patterns: each must fit some type of the catalog.
func KnownTypes(list []string) error {
	for _, glob := range list {
		glob = strings.TrimSpace(glob)
		if !strings.ContainsAny(glob, "*?[") {
			if err := KnownType(glob); err != nil {
				return err
			}
			continue
		}
		fits := func(name string) bool { ok, _ := path.Match(glob, name); return ok }
		if !slices.ContainsFunc(TypeNames(), fits) {
			return problem.Faultf("no event type is like %q", glob).Advise("for example --type 'tool.*'; `hookctl events types` lists them")
		}
	}
	return nil
}

// KnownType refuses a type that the catalog does not have, with the nearest one.
func KnownType(typ string) error {
	if _, ok := events.Lookup(typ); ok {
		return nil
	}
	return problem.Faultf("there is no event type %q", typ).Advise("`hookctl events types` lists them").Meant(typ, TypeNames(), "%s")
}

// TypeNames lists the types of the catalog.
func TypeNames() []string {
	var names []string
	for _, k := range events.Catalog() {
		names = append(names, k.Type)
	}
	return names
}

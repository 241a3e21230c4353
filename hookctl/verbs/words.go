package verbs

import "errors"

// errFound ends a stream that has given what was looked for.
var errFound = errors.New("found")

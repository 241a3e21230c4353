// Package problem is what a person reads when something was refused: an error with a hint and an exit code, as the
// daemon answers it, and the word that was probably meant.
package problem

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Error is an error for a person, as it travels over the socket.
type Error struct {
	Message string `json:"error"`
	Hint    string `json:"hint,omitempty"` // what to do about it
	Exit    int    `json:"exit,omitempty"` // the exit code of the verb that asked
	Status  int    `json:"-"`              // of HTTP; 0 where no request was refused
	Cause   error  `json:"-"`
}

// Error is the message without the hint.
func (p *Error) Error() string { return p.Message }

// Unwrap gives the cause.
func (p *Error) Unwrap() error { return p.Cause }

// Advise sets the hint and gives the error back.
func (p *Error) Advise(hint string) *Error {
	p.Hint = hint
	return p
}

// Meant replaces the hint by the candidate that was probably meant by word, in a format such as "`hookctl %s`", where one is near.
func (p *Error) Meant(word string, candidates []string, format string) *Error {
	if near := Nearest(word, candidates); near != "" {
		p.Hint = "did you mean " + fmt.Sprintf(format, near) + "?"
	}
	return p
}

// Faultf is an error of a verb; a cause is given by %w, as to fmt.Errorf.
func Faultf(format string, args ...any) *Error { return Refusef(0, format, args...) }

// FaultBy is an error of a verb whose words do not have those of its cause.
func FaultBy(cause error, format string, args ...any) *Error {
	p := Faultf(format, args...)
	p.Cause = cause
	return p
}

// Because is an error of a verb in the words of its cause.
func Because(cause error) *Error { return Faultf("%w", cause) }

// Bad refuses a request that makes no sense.
func Bad(format string, args ...any) *Error { return Refusef(http.StatusBadRequest, format, args...) }

// Missing refuses a request for what is not there.
func Missing(format string, args ...any) *Error {
	return Refusef(http.StatusNotFound, format, args...)
}

// Conflict refuses a request that what is there does not allow.
func Conflict(format string, args ...any) *Error {
	return Refusef(http.StatusConflict, format, args...)
}

// Refusef refuses a request with a status of HTTP. It ends a verb with exit code 1, as every error of these functions.
func Refusef(status int, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Message: err.Error(), Exit: 1, Status: status, Cause: errors.Unwrap(err)}
}

// Of is the Error in err; anything else is an internal error (500).
func Of(err error) *Error {
	p := &Error{Message: err.Error(), Exit: 1, Status: http.StatusInternalServerError}
	errors.As(err, &p)
	return p
}

// Write answers a request with err.
func Write(w http.ResponseWriter, err error) {
	p := Of(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(cmp.Or(p.Status, http.StatusInternalServerError))
	_ = json.NewEncoder(w).Encode(p)
}

// Package problem is what a person reads when something was refused: an error with a hint and an exit code, as the
// daemon answers it, and the word that was probably meant.
package problem

import (
	"encoding/json"
	"errors"
	"net/http"
)

// Error is an error for a person, as it travels over the socket.
type Error struct {
	Message string `json:"error"`
	Hint    string `json:"hint,omitempty"` // what to do about it
	Exit    int    `json:"exit,omitempty"` // the exit code of the verb that asked
	Status  int    `json:"-"`              // of HTTP
}

// Error is the message without the hint.
func (p *Error) Error() string { return p.Message }

// New is an error that ends a verb with exit code 1.
func New(status int, message, hint string) *Error {
	return &Error{Message: message, Hint: hint, Exit: 1, Status: status}
}

// Of is the Error in err; anything else is the house's own trouble.
func Of(err error) *Error {
	p := &Error{Message: err.Error(), Exit: 1, Status: http.StatusInternalServerError}
	errors.As(err, &p)
	return p
}

// Write answers a request with err.
func Write(w http.ResponseWriter, err error) {
	p := Of(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

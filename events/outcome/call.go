package outcome

import (
	"encoding/json"
	"slices"

	"hookline/events"
)

// OfSucceeded judges a call of the shell that the client calls a success, by the response that the client gives for it.
func OfSucceeded(call events.Call, response json.RawMessage) Result {
	output := events.OutputOf(response)
	if output.Running || output.Interrupted {
		return Result{Status: Unknown, Runs: slices.Repeat([]Status{Unknown}, len(call.Runs)), Hidden: true}
	}
	return Of(call.Input.Command.Text(), call.Runs, false, output.Text)
}

// OfFailed judges a call of the shell that the client calls a failure, by the client's text of the error.
func OfFailed(call events.Call, failure string) Result {
	return Of(call.Input.Command.Text(), call.Runs, true, failure)
}

// Package insight answers questions about sessions from their events: who allowed each tool call, what the tokens of
// transcripts were spent on, and in what two sessions differ. Its functions are pure: the command line, the page and
// the tools for agents call the same ones.
//
// Where the events leave an answer open it is "unknown": an answer that is given is right.
package insight

package wording

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Durations. The forms differ on purpose: a model is told an age in as few tokens as it takes, the texts of the gates are
// those of the tool that they replace, a list shows minutes, a timeline parts of a second, and a setting is written as it
// can be read back.

// Age returns an age in its largest unit, as the model is told it: "4 d" from two days on, "3 h", "5 min", and "moments" below
// a minute.
func Age(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return "moments"
}

// ShortAge returns a duration in its largest unit with one letter, as the texts of the gates have it: "12s", "5m", "2h".
func ShortAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}

// Span returns a duration as lists of sessions show it: whole seconds below a minute ("42s"), else whole minutes ("5m",
// "1h5m"). What is less than the unit is dropped.
func Span(d time.Duration) string {
	if d < time.Minute {
		return d.Truncate(time.Second).String()
	}
	return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
}

// Took returns how long something ran, as a timeline shows it: "6 ms", "2.5 s", "2m5s".
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// zeroTail matches the units of zero at the end of Go's form of a duration.
var zeroTail = regexp.MustCompile(`^(.*?[hm])(?:0m)?0s$`)

// Setting returns a duration exactly, in the form that a configuration is written in: "12h" where Go writes 12h0m0s.
func Setting(d time.Duration) string { return zeroTail.ReplaceAllString(d.String(), "$1") }

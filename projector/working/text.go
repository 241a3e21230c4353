package working

import (
	"regexp"
	"strings"

	"hookline/events/wording"
)

// Texts: what counts as a goal, and how long a text may be.

// smallTalk are prompts that name no work (S2, DECISIONS "two goals"); those with a word of goOn say to go on.
var (
	smallTalk = regexp.MustCompile(`(?i)^((hi|hello|hey|thanks?|thank you|thx|ok(ay)?|yes|yep|no|nope|sure|go|go on|going|ahead|continue|proceed|next|resume|carry on|keep|great|good|nice|perfect|stop|wait|commit|push|pr|status|help|commit and push|push it|do it|please|and|now|then|from (where|here)|(where )?(we|you) left off|y|n|weiter|weitermachen|und|jetzt|mach|mache|bitte|ja|gut|danke|continuez|continua|continuar|продолжай|继续|続けて|계속)([\s.!?,]+|$))+$`)
	goOn      = regexp.MustCompile(`(?i)\b(go\b|going|continu|proceed|next|resume|carry|keep|weiter)|продолжай|继续|続けて|계속`)
)

// GoesOn reports whether a prompt only says to go on.
func GoesOn(text string) bool { return smallTalk.MatchString(text) && goOn.MatchString(text) }

// stopWords say nothing about a goal.
var stopWords = strings.Fields("about after again also and another any are because been before but can could does for from have here how into its just let like make more must need not now one only other our out over please should some such than that the their them then there these they this use very want was were what when where which while will with would you your")

// Line is a text's first line without control characters, at most 200 characters.
func Line(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return wording.Short(text, maxLine)
}

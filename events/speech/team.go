package speech

import (
	"encoding/json"
	"regexp"
	"strings"

	"hookline/events/wording"
)

// Message is what another session of a team sent to this one.
type Message struct {
	From string // the name that the team has for it
	Text string // its words
}

// IsLead reports whether the team's lead sent the message.
func (m Message) IsLead() bool { return m.From == leadName }

// leadName is the name that the client gives the lead of a team.
const leadName = "team-lead"

// Messages of a team, as the client has them (2.1.2 to 2.1.332): an element, in newer versions behind a line that announces it.
var (
	teamBegin = regexp.MustCompile(`^(?:Another Claude session sent a message[^\n<]{0,60}\s*)?<teammate-message\b`)
	teamTag   = regexp.MustCompile(`<teammate-message\b([^>]*)>`)
	teamFrom  = regexp.MustCompile(`\bteammate_id="([^"]{1,200})"`)
)

// teamEnd ends a message of a team.
const teamEnd = "</teammate-message>"

// maxMessages is how many messages of one prompt are read.
const maxMessages = 20

// Teammates returns the messages of other sessions of a team that a prompt consists of, those with words; nil for a prompt of
// another kind. What a session reports by itself, that it is idle, has ended or was given a task, is no message.
func Teammates(prompt string) []Message {
	prompt = strings.TrimSpace(prompt)
	if !teamBegin.MatchString(prompt) {
		return nil
	}

	var list []Message
	for range maxMessages {
		at := teamTag.FindStringSubmatchIndex(prompt)
		if at == nil {
			break
		}
		attributes := prompt[at[2]:at[3]]
		text, rest, _ := strings.Cut(prompt[at[1]:], teamEnd)
		prompt = rest

		from := teamFrom.FindStringSubmatch(attributes)
		text = wording.Clip(strings.TrimSpace(text), maxRead)
		if from != nil && text != "" && !isNotice(text) {
			list = append(list, Message{From: from[1], Text: text})
		}
	}
	return list
}

// isNotice reports whether a message is one that the client's programs exchange: an object of JSON with a type.
func isNotice(text string) bool {
	if !strings.HasPrefix(text, "{") {
		return false
	}
	var notice struct{ Type string }
	return json.Unmarshal([]byte(text), &notice) == nil && notice.Type != ""
}

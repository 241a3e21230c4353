// Package speech reads what a user typed: the request without what was pasted beside it, the constraints that hold for the
// work, orders that one act carries out, answers, messages of a team, and an agent's words that its work is done.
//
// A prompt has parts of three kinds:
//
//	request     the user's own sentences, wherever they stand: before, between or behind what was pasted
//	paste       code, logs, traces, tables, patches, lists of files, elements of XML, quotations
//	placeholder what the client writes for an attachment: [Image #1], [Pasted text #1 +40 lines]
//
// Nothing here is certain, since people type in every form. Where a function has to choose it is told in its comment; all of
// them read lists of words, in the languages that most prompts are written in. All are pure and look at a bounded part of
// a text.
package speech

import (
	"regexp"
	"strings"

	"hookline/events/wording"
)

// maxRead is how many bytes of a prompt are read. Of a longer one the first and the last half as many are, because a request
// stands before or behind what was pasted.
const maxRead = 32 << 10

// planned matches the beginning of a prompt by which the client has a plan carried out: an agent wrote what follows, and all
// of it is the request.
var planned = regexp.MustCompile(`(?i)^implement the following plan:`)

// Request returns what a user asks for in a prompt: its own lines without what was pasted, in paragraphs. It is "" for a
// prompt that consists of pastes and attachments. A text of one or two lines is not pasted, whatever it looks like, and a
// plan that is to be carried out is the request itself.
func Request(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	if planned.MatchString(prompt) {
		return wording.Clip(prompt, maxRead)
	}

	request := joined(ownLinesOf(prompt))
	if request == "" {
		request = joined(ownLinesOf(unwrapped(prompt)))
	}
	isShort := len(prompt) <= maxShort && strings.Count(prompt, "\n") <= 1
	if request == "" && isShort && !strings.HasPrefix(prompt, "<") {
		request = withoutPlaceholders(prompt)
	}
	return request
}

// maxShort is how many bytes a text may have that nobody would paste without a word of their own.
const maxShort = 300

// wrapper matches an element that people and programs put a request into.
var wrapper = regexp.MustCompile(`(?i)</?(task|request|prompt|instructions?|objective|goal|requirements?|user_?(?:request|query|message|prompt))>`)

// unwrapped returns a text without the tags of elements that hold a request.
func unwrapped(text string) string {
	if len(text) > maxRead || !strings.HasPrefix(text, "<") {
		return ""
	}
	return wrapper.ReplaceAllString(text, "\n")
}

// ownLinesOf returns the lines of a prompt, those that were pasted empty.
func ownLinesOf(prompt string) []string {
	if len(prompt) <= maxRead {
		return withoutPastes(prompt)
	}
	head, tail := prompt[:maxRead/2], prompt[len(prompt)-maxRead/2:]
	if n := strings.LastIndexByte(head, '\n'); n >= 0 {
		head = head[:n]
	}
	if n := strings.IndexByte(tail, '\n'); n >= 0 {
		tail = tail[n+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	lines := withoutPastes(beforeOpenFence(head))
	lines = append(lines, "")
	return append(lines, withoutPastes(behindOpenFence(tail))...)
}

// fence is the mark that begins and ends fenced code at the beginning of a line.
const fence = "\n```"

// beforeOpenFence returns the beginning of a text up to a fence that has no end in it.
func beforeOpenFence(text string) string {
	text = "\n" + text
	if strings.Count(text, fence)%2 == 1 {
		text = text[:strings.LastIndex(text, fence)]
	}
	return text
}

// behindOpenFence returns the end of a text from a fence on that has no beginning in it.
func behindOpenFence(text string) string {
	if strings.Count(text, fence)%2 == 0 {
		return text
	}
	_, rest, _ := strings.Cut(text, fence)
	_, rest, _ = strings.Cut(rest, "\n")
	return rest
}

// placeholder matches what the client writes for an attachment.
var placeholder = regexp.MustCompile(`\[(?:Image|Pasted text|Screenshot|File|Attachment)(?: ?#\d+)?(?: \+\d+ lines?)?(?:: ?[^\]\n]{0,300})?\]|\[\.{3}Truncated text #\d+[^\]\n]{0,80}\]`)

// withoutPlaceholders returns a text without what the client writes for attachments.
func withoutPlaceholders(text string) string {
	if !strings.Contains(text, "[") {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(placeholder.ReplaceAllString(text, ""))
}

// joined returns the lines that are not empty, in paragraphs: one empty line stands where there were some.
func joined(lines []string) string {
	var text strings.Builder
	pending := false
	for _, line := range lines {
		line = withoutPlaceholders(line)
		if line == "" {
			pending = text.Len() > 0
			continue
		}
		if pending {
			text.WriteByte('\n')
		}
		pending = false
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(line)
	}
	return text.String()
}

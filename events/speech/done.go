package speech

import (
	"regexp"
	"strings"

	"hookline/events/wording"
)

// What an agent says at the end of a turn: that its work is done, or that some of it is left.

// maxClosing is how many bytes of an agent's last words are read from their beginning, and from their end.
const maxClosing = 2000

// done matches words by which an agent says that it has done what was asked.
var done = regexp.MustCompile(`(?i)(?:\b(?:done|finished|completed?|committed|pushed|merged|landed|shipped|released|deployed|implemented|fixed|resolved|all set|in place|` +
	`fertig|erledigt|abgeschlossen|committet|gepusht|gemergt|` +
	`hecho|listo|terminad[oa]|completad[oa]|subid[oa]|fusionad[oa]|` +
	`terminée?|termin[ée]s?|effectuée?|poussée?|fusionnée?|commité|` +
	`feito|pronto|concluíd[oa]|enviad[oa]|mesclad[oa])(?:\b|\s|$|[.!,:]))|готово|сделано|完成|已提交|已推送|已合并|搞定|完了しました|コミットしました|プッシュしました|완료|커밋했`)

// undone matches words by which it says that some of the work is left, or that it was not done.
var undone = regexp.MustCompile(`(?i)\b(?:not (?:yet )?(?:done|finished|complete|committed|pushed|merged|fixed|implemented)|isn['’]t (?:done|finished|complete)|` +
	`(?:un|in)(?:finished|complete|committed|fixed)|partially|partly|part (?:one|\d+)\b|(?:phase|step|milestone|stage) (?:one|\d+)\b|` +
	`(?:once|when|after|until|before) (?:it['’]s |that['’]s |this is |you['’]re )?(?:done|finished|complete|merged|committed|pushed)|to be (?:done|finished|fixed)|will be (?:done|finished|fixed|merged)|` +
	`still (?:needs?|has to|have to|to do|open|fails?|failing|broken|missing|remains?|pending)|remain(?:s|ing)?\b|left to do|(?:next|remaining) (?:step|task|phase|part)s?|` +
	`haven['’]t|hasn['’]t|couldn['’]t|could not|cannot|can['’]t|unable|failed|blocked|todo|` +
	`noch (?:nicht|offen|zu)|teilweise|falta|todavía|pendiente|reste à|pas encore|ainda|falta)\b|还(?:没|需|有)|尚未|未完成|まだ|아직`)

// nothingLeft matches words that name what could be left and say that there is none.
var nothingLeft = regexp.MustCompile(`(?i)\b(?:0|no|none|nothing|zero) (?:\w+ )?(?:failed|failures?|failing|remain(?:s|ing)?|left to do|todos?|blocked|pending)\b`)

// SaysDone reports whether an agent's last words of a turn say that its work is done, and say of nothing that it is left. A question
// at their end says nothing of the kind, unless it offers more.
func SaysDone(words string) bool {
	own := nothingLeft.ReplaceAllString(wording.OwnLines(closing(words)), "")
	return done.MatchString(own) && !undone.MatchString(own)
}

// closing returns the beginning and the end of an agent's last words: it says at either that it is done.
func closing(words string) string {
	if len(words) <= 2*maxClosing {
		return words
	}
	head := wording.Clip(words, maxClosing)
	tail := strings.ToValidUTF8(words[len(words)-maxClosing:], "")
	return beforeOpenFence(head) + "\n\n" + behindOpenFence(tail)
}

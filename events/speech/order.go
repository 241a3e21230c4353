package speech

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookline/events/wording"
)

// Prompts that name no work of their own: small talk, words to go on, orders that one act carries out, choices. They are known
// by having no other words: each word of such a prompt is on one of the lists.

// Classes of words.
const (
	filler  = 1 << iota // says nothing by itself
	object              // what is committed, pushed, merged; says nothing beside such an act
	talk                // yes, thanks, hello
	goes                // go on
	act                 // commit, push, merge
	choice              // the second one
	chooses             // take, prefer: beside a choice
	points              // screenshot, error: what somebody attached or pasted
)

// wordLists are the words of each class, in lower case and without accents' variants.
var wordLists = map[int]string{
	filler: `a an the it its it's this that that's these those them they all everything every any each your you my me i i'm i'd we us our let's lets let
		can could would will should shall may might is are be do does did done has have got need want like just only now then so also too and or but with
		without in into on onto for from of to at by as up out back over via again here there what where how when if please pls plz kindly thing things
		one ones left off rest remaining way today meanwhile away straight whole think
		bitte alles das die der den dem dann und oder mit auf in im an am zu zum zur es sie wir uns mal noch alle jetzt nun auch doch einfach diese dieser
		dieses kannst du könntest einen eine ein
		por favor todo todos los las el la lo y o con en al de del un una ahora puedes ya también
		s'il te vous plaît svp tout tous les le et ou avec dans sur au du des un une maintenant peux tu ça
		tudo os as e com em no na do da um uma agora pode você isso
		пожалуйста все это и на в теперь`,
	object: `stuff work works working change changes changed code file files branch main master develop dev trunk staging stage prod production origin remote
		upstream repo repository message messages comment description title proper good nice clean new current local properly quick quickly test tests
		run make create open raise submit send put use git gh github part step steps task tasks item items phase point pending latest last draft
		separate single another well sense conventional
		änderungen änderung datei dateien mach mache machen erstelle erstell erstellen
		cambios cambio archivos archivo haz hazlo hacer crea fais faites crée changements fichiers faça faz mudanças alterações arquivos`,
	talk: `yes yep yeah yup ya y no nope n ok okay okey k sure right correct exactly agreed fine great good cool perfect nice awesome excellent amazing thanks
		thank thx ty cheers hi hello hey hallo hola bonjour salut olá oi stop wait hmm hm lol wow sorry status help approved approve lgtm confirmed confirm absolutely definitely
		sounds looks ja nein gut danke prima super genau klar passt stimmt sí si gracias vale bueno claro perfecto listo oui non merci d'accord parfait
		sim não obrigado obrigada beleza certo perfeito да нет спасибо хорошо ок evet tamam`,
	goes: `go going goes ahead continue continuing proceed next resume carry keep start begin onwards onward forward weiter weitermachen fortfahren fahre fort los leg loslegen
		continúa continua continuar sigue seguir adelante procede continuez continue continuer poursuis poursuivez vas-y allez-y vas allez y
		prossiga prosseguir siga segue seguir продолжай продолжить дальше devam et`,
	act: `commit commits commited committed committing push pushed pushing merge merged merging mr pr prs pull request requests deploy deploying release releasing publish ship
		rebase squash amend sync tag cherry-pick fetch
		committe commite committen pushe pushen merge mergen deploye deployen veröffentliche
		sube subir commitea comitea mergea fusiona despliega desplegar publica
		commite commiter pousse pousser pousses fusionne fusionner déploie déployer
		commita comita commitar suba mescle mesclar implante закоммить запушь`,
	choice: `first second third fourth fifth last former latter option options choice number variant variante alternative either neither both one two three four five all none
		a b c d e approach solution idea erste zweite dritte letzte erstere letztere primera segunda tercera opción opcion première deuxième troisième
		primeira terceira opção recommended recommendation suggestion default`,
	chooses: `go prefer pick choose take with use nimm nehmen`,
	points: `screenshot screenshots screen shot image images picture pictures photo pic log logs output outputs error errors issue issues problem bug stacktrace stack trace traces
		traceback attached attachment attachments see look looks looking below above pasted paste console terminal following result results here's heres
		fehler ausgabe bild siehe hier captura pantalla imagen salida aquí erreur capture écran voici erro imagem tela saída aqui is are`,
}

// classes are the classes of each word.
var classes = func() map[string]int {
	table := map[string]int{}
	for class, words := range wordLists {
		for _, w := range strings.Fields(words) {
			table[w] |= class
		}
	}
	return table
}()

// otherScripts gives words of languages without blanks in the words of the lists.
var otherScripts = strings.NewReplacer(
	"继续", " continue ", "接着", " continue ", "下一步", " next ", "开始", " start ", "往下", " continue ", "做", " do ", "吧", " ", "好的", " ok ", "好", " ok ", "是的", " yes ", "是", " yes ", "对", " yes ",
	"可以", " ok ", "行", " ok ", "谢谢", " thanks ", "嗯", " ok ", "不用", " no ", "提交", " commit ", "推送", " push ", "合并", " merge ", "发布", " release ", "部署", " deploy ", "代码", " code ", "更改", " changes ",
	"修改", " changes ", "全部", " all ", "所有", " all ", "请", " please ", "一下", " ", "并", " and ", "然后", " then ", "到", " to ", "把", " ", "了", " ", "的", " ", "现在", " now ", "远程", " remote ", "分支", " branch ", "你", " you ", "我", " i ",
	"続けてください", " continue ", "続けて", " continue ", "続行", " continue ", "進めて", " proceed ", "次へ", " next ", "はい", " yes ", "お願いします", " please ", "ください", " please ", "コミット", " commit ", "プッシュ", " push ", "マージ", " merge ", "デプロイ", " deploy ",
	"して", " do ", "ありがとう", " thanks ", "を", " ", "계속해주세요", " continue ", "계속해줘", " continue ", "계속해", " continue ", "계속", " continue ", "진행해줘", " proceed ", "진행", " proceed ", "네", " yes ", "커밋", " commit ", "푸시", " push ", "머지", " merge ", "배포", " deploy ",
	"해주세요", " please ", "해줘", " please ", "하고", " and ", "고마워", " thanks ",
	"。", " ", "！", " ", "，", " ", "？", " ", "、", " ",
)

// Bounds of a prompt that may name no work of its own.
const (
	maxOrder   = 240 // bytes
	maxOfOrder = 18  // words
)

// number matches a number; namedThing a word that names a branch, a request or a version, not what is done.
var (
	number     = regexp.MustCompile(`^#?\d[\d.]{0,8}$`)
	namedThing = regexp.MustCompile(`^(?:v\d[\w.]*|[\w.-]+/[\w./-]+|[\w]+(?:-[\w]+)+|[0-9a-f]{7,40})$`)
)

// said returns the words of a short text with the class of each, false for a text that has too many.
func said(text string) (list []int, ok bool) {
	if len(text) > maxOrder {
		return nil, false
	}
	own := wording.OwnWords(text)
	if strings.TrimSpace(own) == "" || strings.HasPrefix(text, "/") {
		return nil, false
	}
	if hasCJK(own) {
		own = otherScripts.Replace(own)
	}
	own = strings.ReplaceAll(strings.ToLower(own), "’", "'")
	for _, word := range strings.FieldsFunc(own, endsWord) {
		word = strings.Trim(word, "'-./#_*~")
		switch {
		case word == "":
		case classes[word] != 0:
			list = append(list, classes[word])
		case number.MatchString(word):
			list = append(list, choice)
		case namedThing.MatchString(word):
			list = append(list, 0) // known, but only beside an act
		default:
			return nil, false
		}
	}
	return list, len(list) > 0 && len(list) <= maxOfOrder
}

// endsWord reports whether a character stands between words.
func endsWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("'-./#_", r)
}

// has reports whether one of the words has a class.
func has(words []int, class int) bool {
	for _, w := range words {
		if w&class != 0 {
			return true
		}
	}
	return false
}

// Order reports whether a text of the user only orders what one act carries out: to commit, to push, to merge, to open a request,
// to deploy, to go on; or agrees to something. It names no work of its own.
func Order(text string) bool {
	words, ok := said(text)
	return ok && (has(words, act) || knowsAll(words) && has(words, goes|talk))
}

// knowsAll reports whether no word stands there only because it may name a branch.
func knowsAll(words []int) bool {
	for _, w := range words {
		if w == 0 {
			return false
		}
	}
	return true
}

// GoesOn reports whether a text of the user only says to go on, in whatever words: "go on with it please now".
func GoesOn(text string) bool {
	words, ok := said(text)
	return ok && has(words, goes) && !has(words, act)
}

// Choice reports whether a text of the user only chooses among what it was offered: "the second one", "option B please",
// "1 and 3".
func Choice(text string) bool {
	words, ok := said(text)
	if !ok || len(words) > maxOfChoice {
		return false
	}
	chosen := false
	for _, w := range words {
		if w&(choice|chooses|filler|talk) == 0 {
			return false
		}
		chosen = chosen || w&choice != 0 && w&(filler|talk) == 0
	}
	return chosen
}

// maxOfChoice is how many words a choice has at most.
const maxOfChoice = 8

// Points reports whether a text of the user only points to what was attached or pasted: "screenshot of the issue".
func Points(text string) bool {
	words, ok := said(text)
	if !ok {
		return false
	}
	for _, w := range words {
		if w&(points|filler|talk) == 0 {
			return false
		}
	}
	return has(words, points)
}

// maxAnswer is how many words an answer to a question has at most.
const maxAnswer = 8

// maxAnswerCJK is the same in characters of a script without blanks.
const maxAnswerCJK = 14

// Answers reports whether a text of the user answers a question that the agent asked last, rather than asking for work of its
// own: it is a choice; or one was asked, and it is short and begins with yes or no, or is neither a question nor an imperative.
func Answers(text string, asked bool) bool {
	if Choice(text) {
		return true
	}
	text = strings.TrimSpace(text)
	if !asked || len(text) > maxOrder || strings.Contains(text, "\n") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), endsWord)
	isLong := len(words) > maxAnswer || hasCJK(text) && utf8.RuneCountInString(text) > maxAnswerCJK
	if len(words) == 0 || isLong {
		return false
	}

	agrees := classes[words[0]]&talk != 0
	isQuestion := strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
	if agrees || isQuestion {
		return agrees && !isQuestion
	}
	for len(words) > 1 && classes[words[0]]&filler != 0 {
		words = words[1:] // can you, please, let's
	}
	return !imperatives[words[0]] && classes[words[0]]&act == 0
}

// Asks reports whether an agent's last words ask something: a question mark ends the words, or the paragraph above a list of what
// to choose from.
func Asks(words string) bool {
	tail := strings.TrimSpace(words[max(0, len(words)-maxAsked):])
	tail = strings.ToValidUTF8(tail, "")
	own := strings.TrimRight(wording.OwnLines(tail), " \n\t*_`)\"'”»")
	if strings.HasSuffix(own, "?") || strings.HasSuffix(own, "？") {
		return true
	}

	lines := strings.Split(own, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if line == "" || listItem.MatchString(lines[i]) || lettered.MatchString(lines[i]) {
			continue
		}
		isLast := i == len(lines)-1
		line = strings.TrimRight(line, "*_:` ")
		return !isLast && (strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？"))
	}
	return false
}

// maxAsked is how many bytes of an agent's last words a question is looked for in.
const maxAsked = 1500

// lettered matches an entry of a list that one can choose from.
var lettered = regexp.MustCompile(`^\s*(?:\*\*)?(?:\(?[A-Da-d1-9][.):]|Option\s)`)

// Bounds of what may name work.
const (
	leastWords = 4
	leastCJK   = 6 // characters, of a script without blanks
)

// Substantial reports whether a text of the user is a prompt of substance: one that may be a goal, and that counts as work when
// calls follow it. It is no slash command, no small talk, no order that one act carries out, no choice, no attachment, and not
// shorter than four words. Whether it answers a question only those can say who know that one was asked, see [Answers].
func Substantial(text string) bool {
	if strings.HasPrefix(text, "/") {
		return false
	}
	request := Request(text)
	if !longEnough(request) {
		return false
	}
	return !Order(request) && !Choice(request) && !Points(request)
}

// longEnough reports whether a request has as many words as one that names work.
func longEnough(request string) bool {
	words, characters := 0, 0
	for _, word := range strings.Fields(wording.Clip(request, maxShort)) {
		if strings.ContainsFunc(word, unicode.IsLetter) || strings.ContainsFunc(word, unicode.IsDigit) {
			words++
		}
		for _, r := range word {
			if isCJK(r) {
				characters++
			}
		}
	}
	return words >= leastWords || characters >= leastCJK
}

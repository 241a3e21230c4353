package speech

import (
	"regexp"
	"strings"
)

// Orders in other languages: a word for never, always, not, only or without where an order has it, beside a verb of an order.

// language has the words of one language.
type language struct {
	keyword *regexp.Regexp  // of a constraint, at the beginning of a clause; what follows is a verb of an order
	inside  *regexp.Regexp  // of a constraint, within a clause that begins with a verb of an order
	verbs   map[string]bool // of an order, behind the keyword or at the beginning
	endings []string        // of other verbs that may follow the keyword: infinitives
	fixed   *regexp.Regexp  // clauses that are constraints by themselves
	last    bool            // the verb stands at the end: "Tests nicht ändern"
	subject *regexp.Regexp  // words that make a clause a description
}

// germanVerbs are infinitives and imperatives.
const germanVerbs = `ändern ändere änder löschen lösche lösch anfassen fass committen committe pushen pushe verwenden verwende nutzen nutze nutz benutzen benutze hinzufügen füge entfernen entferne schreiben schreib
	umbenennen benenne ausführen führe führ mergen merge deployen deploye installieren installiere starten starte stoppen fragen frag frage machen mach mache einbauen bau baue anlegen lege leg überschreiben überschreibe verändern verändere berühren berühre
	brechen brich einführen vergessen vergiss lassen lass halten halte nehmen nimm lesen lies testen teste prüfen prüfe arbeiten arbeite bearbeiten bearbeite verschieben verschiebe erstellen erstelle beachten achte ersetzen ersetze
	aufrufen ruf bleiben bleib warten warte behalten behalte refactoren refactore refaktorieren implementieren implementiere kürzen kürze raten rate zeigen zeig zeige setzen setze speichern speichere loggen logge kopieren kopiere
	korrigiere repariere behebe fixe erweitere ergänze optimiere übersetze aktualisiere verbessere baue portiere migriere`

// spanishVerbs are forms of an order, with and without a negation.
const spanishVerbs = `toques toque toquen cambies cambie modifiques modifique borres borre elimines elimine uses use usen hagas haga commitees subas suba añadas agregues crees escribas edites rompas instales ejecutes olvides mergees despliegues dejes quites
	muevas renombres reescribas pongas inventes incluyas asumas alteres sobrescribas publiques envíes mezcles reinicies actualices saltes simplifiques expliques traduzcas
	usa ejecuta corre escribe pregunta pregúntame haz mantén verifica comprueba revisa valida prueba pide deja respeta utiliza emplea responde trabaja sigue modifica cambia edita toca corrige arregla añade agrega refactoriza mueve migra actualiza optimiza`

// frenchVerbs are forms of an order.
const frenchVerbs = `touche touchez modifie modifiez change changez supprime supprimez efface effacez utilise utilisez fais faites commite commitez pousse poussez ajoute ajoutez crée créez écris écrivez édite éditez casse cassez installe installez lance lancez oublie oubliez
	fusionne fusionnez déploie déployez laisse laissez retire retirez déplace déplacez renomme renommez mets mettez invente inventez garde gardez vérifie vérifiez teste testez demande demandez respecte respectez travaille travaillez réponds répondez corrige corrigez refactorise optimise réécris`

// portugueseVerbs are forms of an order, with and without a negation.
const portugueseVerbs = `mexa altere mude apague delete use remova faça adicione crie toque modifique edite commite suba quebre instale esqueça rode execute escreva inclua exclua invente mova renomeie publique envie atualize pergunte peça mantenha verifique teste valide
	respeite responda trabalhe corrija refatore otimize migre usa faz roda escreve toca deixe coloque assuma sobrescreva reescreva`

// languages are those of which constraints are known by words of more than one meaning.
var languages = []language{
	{
		keyword: regexp.MustCompile(`^(?:nie|niemals|immer|nur|ohne|kein|keine|keinen|keinerlei|nicht|auf keinen fall|unbedingt)\s`),
		inside:  regexp.MustCompile(`\s(?:nie|niemals|immer|nur|ohne|kein|keine|keinen|nicht|unbedingt|ausschließlich)(?:\s|$)`),
		verbs:   wordSet(germanVerbs),
		fixed: regexp.MustCompile(`^(?:du (?:darfst|sollst) (?:nie|nicht|nur|keine?n?|niemals)|stelle? (?:bitte )?sicher|achte (?:bitte )?(?:unbedingt )?darauf|sorge? (?:bitte )?dafür|frage? (?:mich )?(?:bitte )?(?:immer )?(?:vorher|erst|zuerst|bevor)|(?:immer )?(?:erst|vorher) (?:bei mir )?(?:nach)?fragen|nicht ohne )|` +
			`\b(?:darf|dürfen) (?:\S+ ){0,3}(?:nie|nicht|nur|niemals|kein\w*)\b|\b(?:muss|müssen) (?:\S+ ){0,3}(?:immer|zwingend|unbedingt)\b`),
		last:    true,
		subject: regexp.MustCompile(`(?:^|\s)(?:ich|wir|er|man|es|kann|konnte|will|wollte|würde|lässt|möchte|hat|habe|haben|ist|sind|war|wird)(?:\s|$)`),
	},
	{
		keyword: regexp.MustCompile(`^(?:nunca|jamás|siempre|no|solo|sólo|solamente|únicamente|sin)\s`),
		inside:  regexp.MustCompile(`\s(?:nunca|siempre|solo|sólo|solamente|únicamente|sin (?:cambiar|modificar|tocar|romper|usar|añadir|agregar|borrar|eliminar|preguntar|perder|nuevas|dependencias))(?:\s|$)`),
		verbs:   wordSet(spanishVerbs),
		endings: []string{"ar", "er", "ir"},
		fixed:   regexp.MustCompile(`^(?:asegúrate de|pregúntame (?:antes|primero)|pregunta (?:antes|primero)|consúltame|pide (?:mi )?permiso|no debes|debes (?:siempre|nunca|solo)|está prohibido)|\bno deben? (?:cambiar|modificar|tocar|romper|usar)`),
		subject: regexp.MustCompile(`^(?:no|nunca|siempre|solo|sólo) (?:ser|hay|sé|es|está|funciona|puedo|tengo|entiendo|veo|ver|parece|aparece|hacer falta|haber|tener)\b`),
	},
	{
		keyword: regexp.MustCompile(`^(?:ne (?:pas |jamais )?|n'|jamais |toujours |seulement |uniquement |sans |pas de )`),
		inside:  regexp.MustCompile(`\s(?:jamais|toujours|seulement|uniquement|sans (?:changer|modifier|toucher|casser|utiliser|ajouter|supprimer|demander|perdre))(?:\s|$)`),
		verbs:   wordSet(frenchVerbs),
		endings: []string{"er", "ir", "re"},
		fixed:   regexp.MustCompile(`^(?:assure-toi|assurez-vous|veille à|veillez à|demandez?(?:-moi)? (?:d'abord|avant)|tu ne dois (?:pas|jamais)|vous ne devez (?:pas|jamais)|il ne faut (?:pas|jamais)|pas de (?:nouvelles?|nouveaux?|dépendances?|commit|push|mock))|\bne (?:doit|doivent) (?:pas|jamais)\b`),
		subject: regexp.MustCompile(`^(?:ne |n')(?:fonctionne|marche|compile|passe|démarre|trouve|comprend|sait|peut|a|est|y)\b|^toujours (?:le|la|les|pas|un|une)\b|^sans `),
	},
	{
		keyword: regexp.MustCompile(`^(?:nunca|jamais|sempre|não|só|somente|apenas|sem)\s`),
		inside:  regexp.MustCompile(`\s(?:nunca|jamais|sempre|só|somente|apenas|sem (?:mudar|alterar|modificar|mexer|quebrar|usar|adicionar|apagar|perguntar|perder|novas|dependências))(?:\s|$)`),
		verbs:   wordSet(portugueseVerbs),
		endings: []string{"ar", "er", "ir"},
		fixed:   regexp.MustCompile(`^(?:certifique-se|garanta que|me pergunte (?:antes|primeiro)|pergunte (?:antes|primeiro)|peça (?:minha )?permissão|não deves?|você não (?:deve|pode))|\bnão devem? (?:mudar|alterar|quebrar|usar|ser)`),
		subject: regexp.MustCompile(`^(?:não|nunca|sempre|só|sem) (?:sei|é|está|funciona|posso|tenho|entendo|ser|haver|ter|fazer sentido|ver|vejo)\b`),
	},
}

// isForeignOrder reports whether a clause orders, in one of the other languages, what is always, never or only to be done.
func isForeignOrder(clause string) bool {
	for _, l := range languages {
		if l.orders(clause) {
			return true
		}
	}
	return false
}

// orders reports whether a clause is such an order.
func (l language) orders(clause string) bool {
	if l.fixed.MatchString(clause) {
		return true
	}
	if l.subject.MatchString(clause) {
		return false
	}

	words := strings.FieldsFunc(clause, endsWord)
	if len(words) < 2 {
		return false
	}
	if at := l.keyword.FindString(clause); at != "" {
		rest := strings.FieldsFunc(clause[len(at):], endsWord)
		if len(rest) > 0 && l.isVerb(rest[0]) {
			return true
		}
	}
	if l.verbs[words[0]] && l.inside.MatchString(clause) {
		return true
	}
	head, _, _ := strings.Cut(clause, ",")
	words = strings.FieldsFunc(head, endsWord)
	return l.last && len(words) > 1 && l.verbs[words[len(words)-1]] && (l.inside.MatchString(clause) || l.keyword.MatchString(clause))
}

// isVerb reports whether a word is a verb of an order.
func (l language) isVerb(word string) bool {
	if l.verbs[word] {
		return true
	}
	for _, ending := range l.endings {
		if len(word) > len(ending)+2 && strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// Orders in Chinese, Japanese and Korean.
var (
	chinese = regexp.MustCompile(`不要|不得|禁止|切勿|请勿|请不要|绝不|绝对不|永远不要|务必|必须|确保|先问|先征求|先确认|只能|只允许|只(?:改|修改|用|使用|做|写|提交|运行|动)|(?:^|[，。；：、\s])(?:别[^的人]|始终|一律|总是(?:使用|用|先))|` +
		`しないで|してはいけない|してはならない|禁止|必ず|絶対に|だけを?(?:使|変更|修正)|하지 ?마|하지 ?말|반드시|절대`)
	chineseAsks = regexp.MustCompile(`[吗呢么]\s*$|为什么|怎么|是不是|不知道|なぜ|ですか|(?:我|它|他|她|这|那)(?:就)?(?:不要|必须)(?:了|的|是)|不要紧|要不要`)
)

// isChineseOrder reports whether a sentence in a script without blanks orders what is always, never or only to be done.
func isChineseOrder(own string) bool {
	return hasCJK(own) && chinese.MatchString(own) && !chineseAsks.MatchString(own)
}

package speech

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// orders are sentences that say what is always, never or only to be done.
var orders = []string{
	"Never delete a row.",
	"Ask me before touching the schema.",
	"And add a metric for skipped rows, but never sleep longer than 2 seconds",
	"Always run the linter before you commit.",
	"don't push to main",
	"Please do not rename the public functions",
	"You must not change the wire format",
	"You should never log a token",
	"The response must be valid JSON",
	"It must run on Windows as well",
	"All endpoints must have a test",
	"Only change files below src/",
	"Use only the standard library",
	"Refactor the parser without changing its API",
	"No new dependencies, please",
	"Make sure the old clients still work",
	"- Never commit to the release branch",
	"1. Do NOT touch the generated files",
	"Fix the flaky test, and don't skip it",
	"Check with me before you deploy",
	"Run the tests before every commit",
	"Avoid using global state",
	"Let's not touch the database today",
	"I want you to rewrite it but do not change the output",

	"Lösche nie Zeilen aus der Tabelle",
	"Bitte nie direkt auf main pushen",
	"Verwende immer pnpm statt npm",
	"Die Tests nicht ändern",
	"Das Schema bitte nicht anfassen, nur den Importer",
	"Keine neuen Abhängigkeiten hinzufügen",
	"Frag mich vorher, wenn du Dateien löschen willst",
	"Du darfst die API nicht brechen",
	"Stell sicher, dass alte Clients weiter laufen",

	"Nunca borres filas de la tabla",
	"No toques el esquema sin preguntar",
	"Usa siempre pnpm en lugar de npm",
	"Refactoriza el parser sin cambiar la API",
	"Solo modifica los archivos de src",
	"Asegúrate de que los tests pasen",

	"Ne touche pas au schéma",
	"N'ajoute pas de dépendance",
	"Ne jamais pousser sur main",
	"Utilise toujours pnpm pour les scripts",
	"Corrige le bug sans changer l'API",
	"Demande-moi avant de supprimer un fichier",

	"Nunca apague linhas da tabela",
	"Não altere o esquema do banco",
	"Use sempre pnpm nos scripts",
	"Corrija o parser sem mudar a API",
	"Pergunte antes de apagar arquivos",

	"不要修改数据库结构",
	"提交之前必须运行所有测试",
	"删除文件前先问我",
	"只修改 src 目录下的文件",
	"テストは変更しないでください",
	"테스트 파일은 수정하지 마세요",
}

// descriptions are sentences that have the same words and order nothing of the kind.
var descriptions = []string{
	"I don't know why it fails",
	"The final output must include:",
	"it must be the cache",
	"the test never ends",
	"It always fails on the second run",
	"The import only works with the old file",
	"we don't have a staging server",
	"Don't worry about it",
	"Never mind, I found it",
	"You don't need to test that",
	"Did you never see this error?",
	"There must be a bug in the parser",
	"The cache must be stale",
	"I must have deleted it yesterday",
	"must I restart the server first?",
	"It works without the flag",
	"The build fails only on CI",
	"only the first row is shown",
	"no idea what happens here",
	"No, that is not it",
	"there are no new errors in the log",
	"no new messages were found in the queue",
	"I run the tests to make sure it works",
	"Fix the crash when running without a config file",
	"Why don't you use the cache?",
	"It doesn't compile and never did",
	"Find out why it never reconnects",
	"Show me the error that only happens at night",
	"it must have been cached somewhere",
	"he said \"never delete a row\" in the meeting",

	"Ich weiß nicht, warum es nicht läuft",
	"Der Test läuft nie durch",
	"Es funktioniert nur mit der alten Datei",
	"Warum wird das nicht gespeichert?",
	"Das ist immer noch kaputt",
	"No funciona con el archivo viejo",
	"El test nunca termina",
	"No sé por qué falla",
	"Ça ne marche pas avec le vieux fichier",
	"Toujours la même erreur au démarrage",
	"Je ne sais pas pourquoi",
	"Não funciona com o arquivo antigo",
	"O teste nunca termina de rodar",
	"我不知道为什么失败",
	"这个测试总是失败",
	"只有第一行显示出来",
	"要不要重启服务器？",
}

func TestConstraintsAreOrders(t *testing.T) {
	for _, text := range orders {
		want := itemMark.ReplaceAllString(text, "")
		if got := Constraints(text); !slices.Equal(got, []string{want}) {
			t.Errorf("Constraints(%q) = %q, want the sentence", text, got)
		}
	}
}

func TestConstraintsAreNoDescriptions(t *testing.T) {
	for _, text := range descriptions {
		if got := Constraints(text); got != nil {
			t.Errorf("Constraints(%q) = %q, want none", text, got)
		}
	}
}

// The sentences of a prompt are looked at one by one, and those of a paste are nobody's.
func TestConstraintsOfAPrompt(t *testing.T) {
	prompt := "The nightly job died again, see below. Never restart it by hand.\n\n```\n# Never edit this file\nmust not be empty\n```\n" +
		"> Always squash your commits\n\nFind the cause and mend it. You may change the queue, but do not\nlose a message. I don't know since when it happens.\n"
	got := Constraints(prompt)
	want := []string{"Never restart it by hand.", "You may change the queue, but do not lose a message."}
	if !slices.Equal(got, want) {
		t.Errorf("constraints of a prompt with a paste = %q, want %q", got, want)
	}

	plan := "Implement the following plan:\n\n# Queue\n\nNever lose a message."
	if got := Constraints(plan); got != nil {
		t.Errorf("constraints of a plan = %q, want none: an agent wrote it", got)
	}
	if got := Constraints("/review never skip a file"); got != nil {
		t.Errorf("constraints of a slash command = %q, want none", got)
	}
}

func TestConstraintsAreBounded(t *testing.T) {
	many := ""
	for i := range 30 {
		many += "Never touch file " + strconv.Itoa(i) + ".\n"
	}
	if got := len(Constraints(many)); got != maxConstraints {
		t.Errorf("constraints of 30 sentences = %d, want %d", got, maxConstraints)
	}
	if got := Constraints("Never delete a row. Never delete a row."); len(got) != 1 {
		t.Errorf("constraints of a sentence that stands twice = %q, want it once", got)
	}

	specification := strings.Repeat("The page has a form with a field for the name of the user. ", 20) + "Never ask twice."
	if got := Constraints(specification); got != nil {
		t.Errorf("constraints of a request of 1,200 characters = %q, want none: its sentences specify the work", got)
	}

	long := Constraints("Never delete a row " + strings.Repeat("of the table ", 60))
	if len(long) != 1 || utf8.RuneCountInString(long[0]) != maxConstraint {
		t.Errorf("constraint of 800 characters = %q, want %d characters", long, maxConstraint)
	}
}

// Whatever is typed, constraints are bounded, on one line, and parts of the prompt.
func TestConstraintsOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(orders), rapid.SampledFrom(descriptions), rapid.String(),
			rapid.SampledFrom([]string{"\n", "\n\n", ". ", "```\n", "> ", "<b>", "</b>", "\t"})), 0, 30).Draw(t, "parts")
		prompt := strings.Join(parts, rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		list := Constraints(prompt)
		if len(list) > maxConstraints {
			t.Fatalf("%d constraints of %q", len(list), prompt)
		}
		for _, c := range list {
			if utf8.RuneCountInString(c) > maxConstraint || strings.Contains(c, "\n") {
				t.Fatalf("constraint %q of %q", c, prompt)
			}
		}
	})
}

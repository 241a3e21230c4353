package speech

import "strings"

// Verbs by which work is ordered.

// wordSet is a set of words.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// imperatives are English verbs by which a request for work begins.
var imperatives = wordSet(`accept add adjust align allow analyse analyze answer append apply ask assert assume audit avoid benchmark block break build bump call cancel catch change check
	clean clear clone close collect combine comment commit compare compile complete compress configure connect consider convert copy correct cover create cut debug declare define delete deploy derive describe design
	disable discuss display document download draft drop edit email emit enable encode enforce ensure escape estimate evaluate examine execute expand explain export expose extend extract
	fetch figure fill filter find finish fix flag fold follow force format generate give group guard handle hardcode hide host identify ignore implement import improve include increase init inline insert inspect
	install integrate introduce invent investigate keep leave limit link lint list load localize lock log look lower maintain make map mark measure mention merge migrate mock modify monitor move name normalize note
	omit open optimise optimize order overwrite parse pass patch paste perform persist pick pin plan port prefer prepare prevent print profile propose protect prove provide publish pull push put query quote raise read rebase record
	redo reduce refactor reference reformat regenerate release reload remove rename render reorder replace report reproduce request require research reset resolve respect restart restore restrict restructure retry return reuse revert review revise rewrite rotate round run
	sanitize save scan schedule search seed select send separate serialize serve set setup ship show simplify skip solve sort specify split squash stage standardize stick stop store stream strip style suggest support surface suppress swap switch sync
	tag take target tell test tidy touch trace track train transform translate treat trim trust try turn type unify uninstall update upgrade upload use validate verify wait warn watch wire work wrap write`)

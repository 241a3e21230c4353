package requirements

import (
	"strings"
	"testing"
)

func TestCommandsThatXargsCompletes(t *testing.T) {
	seen(t,
		"echo push | xargs git", "echo push | xargs -I{} git {}", "echo push | xargs -I % git -C d %", "echo push | xargs -i git {}", "echo push | xargs -iX git X",
		"echo push | xargs -J % git %", "echo push | xargs --replace=V git V", "echo push | xargs --replace git {}", "xargs -I{} git {} <<< push",
		"printf 'pull\\npush\\n' | xargs -I{} git {}", "echo push | xargs -0I{} git {}", "echo push | xargs -P 4 -I @ sh -c 'git @'", "echo push | sudo xargs git",
		"xargs -I{} sh -c 'cd {} && git -C d push'", "cat <<E | xargs -I V git V origin\npush\nE", "echo push | time -p nice xargs -n1 git -C d",
		"printf 'x\\n%.0s' {1..70} | xargs -I{} git {}; git push",
	)
	unseen(t,
		"echo push | xargs -I{} git log {}", "echo push | xargs -I{} echo git {}", "echo push | xargs git log",
		"echo push | xargs -I{} git commit -m {}", "echo 'git push' | xargs -I{} echo {}", "echo 'git push' | xargs echo",
	)
	for line, want := range map[string]string{
		"echo /srv | xargs -I{} rm -rf {}": "rm_root", "echo build | xargs -I{} rm -rf /srv/{}": "rm_root", "echo build | xargs -I{} rm -rf {}": "",
		"find /srv -name x | sudo xargs rm": "rm_root", "ls -d /srv/* | xargs rm -rf": "rm_root", "ls build/* | xargs rm": "", "ls /srv | xargs rm": "",
		"echo push | xargs -I{} git {} -f": "force_push_short", "ls -l /srv/* | xargs wc": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestCommandsThatParallelCompletes(t *testing.T) {
	seen(t,
		"parallel git ::: push", "parallel git {} ::: push pull", "parallel -j2 git -C {1} {2} ::: a b ::: push", "parallel git -C {} push ::: a b",
		"parallel ::: 'git -C d push' true", "parallel 'cd {} && git -C d push' ::: a b", "ls | parallel 'cd {} && git -C d push'", "echo push | parallel git",
		"echo 'git -C d push' | parallel", "printf 'a\\npush\\n' | parallel -k git {}", "parallel --joblog x -N 1 git {.} ::: push", "parallel git :::+ push",
		"nice parallel git ::: push", "echo push | sudo parallel -j1 git", "parallel 'git -C d {2} {1}' ::: a ::: push",
	)
	unseen(t,
		"parallel git {3} ::: push", "parallel git log {0} ::: push", "parallel echo git ::: push", "parallel echo 'git push' ::: a", "parallel git log ::: push", "parallel git {1} {2} ::: log ::: push", "parallel ::: 'echo git push'",
		"echo push | parallel git log {}", "parallel git commit -m ::: push", "parallel",
	)
	for line, want := range map[string]string{
		"parallel rm -rf ::: /srv": "rm_root", "parallel rm -rf {}/x ::: /srv": "rm_root", "parallel rm -rf ::: build dist": "", "parallel 'git -C {} push -f' ::: a": "force_push_short",
		"parallel git ::: push ::: -f": "force_push_short", "echo '/srv/a b' | parallel rm -rf": "rm_root", "parallel 'echo rm -rf {}' ::: /srv": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

// Too many words for one line are looked at as text: the line costs no more, and what it holds besides still counts.
func TestManyWordsToComplete(t *testing.T) {
	seen(t,
		"parallel git {1} ::: "+strings.Repeat("pull ", 5000)+"; git push",
		"parallel a"+strings.Repeat(" ::: a b c d e f g h", 30)+"; git push",
		"xargs -I{} git {} <<E\n"+strings.Repeat("pull\n", 5000)+"E\ngit push",
		strings.Repeat("parallel ", 3000)+"git push",
	)
}

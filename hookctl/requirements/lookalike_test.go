package requirements

import "testing"

// Lines that hold the words of a guarded command and run no such command. A gate that closes on one costs a turn.

func TestWordsForAnotherProgramThatOnlyPrints(t *testing.T) {
	unseen(t,
		"sudo echo git push", `timeout 5 echo "git push"`, "env A=1 echo git push", "A=1 sudo -u x echo git push", "nice -n 5 printf 'git push'",
		"bash -c 'echo git push'", `bash -lc 'echo "git push"' _ x`, "sh -c 'grep \"git push\" x'", "A=1 bash -c 'echo git push'", `fish -c 'echo "git push"'`,
		"eval 'echo git push'", "eval echo git push", "trap 'echo git push' EXIT", "xargs echo git push", "echo a | xargs -I{} echo git push {}",
		"sudo grep -rn 'git push' /etc", "timeout 60 rg 'git push' .", "nohup cat 'git push.md'", "sudo git commit -m 'git push'", "env A=1 git log --grep='git push'",
		"sudo timeout 5 bash -c 'nice grep \"git push\" x'", "time sudo tee notes <<E\ngit push\nE",
	)
	seen(t,
		"sudo git push", "sudo echo x; sudo git push", "bash -c 'echo x; git -C d push'", "eval 'echo x; git -C d push'", "sudo $PROGRAM git push",
		"bash run.sh 'git push'", `bash -c 'x "$1"' _ 'git push'`, "xargs -n1 git push", "timeout 5 $X git push", "sudo bash -c \"$X git push\"",
		`bash -c 'echo git push; x "$1"' _ 'git push'`, "git merge-base x; git push",
	)
	for pattern, line := range map[string]string{
		`sudo git push`: "sudo git push", `-u\s+root`: "sudo -u root ls", `timeout\s+\d+`: "timeout 5 ls", `^bash -c`: "bash -c 'ls'", `^sudo.*push`: "A=1 sudo git push",
		`A=1 sudo`: "A=1 sudo ls",
	} {
		equal(t, pattern, gated(t, pattern, line), true)
	}
}

func TestVerbsThatGoOn(t *testing.T) {
	const merges = `git\s+(commit|cherry-pick|revert|merge)`
	for line, want := range map[string]bool{
		"git merge-base main HEAD": false, "git -C d merge-base --fork-point main": false, "git diff $(git merge-base main HEAD)": false,
		"A=1 /usr/bin/git merge-base a b": false, "git-merge-base a b": false, "git commit-tree HEAD^{tree} -m x": false, "git commit-graph write": false,
		"git merge-tree a b": false, "git mergetool": false, "ssh host git merge-base a b": false, `python3 -c 'run("git merge-base a b")'`: false,
		"git merge-base a b && git merge b": true, "git merge $(git merge-base a b)": true, "git merge": true, "git merge -": true, "git merge merge-base": true,
		"git commit": true, "git commit-x": true, "git cherry-pick a": true,
	} {
		equal(t, line, gated(t, merges, line), want)
	}
	for pattern, line := range map[string]string{
		`git\s+merge-`: "git merge-base a b", `git\s+merge.*`: "git merge-base a b", `git\s+merge-base`: "git merge-base a b", `git\s+mer`: "git merge-base a b",
		`merge`: "git merge-base a b", `git\s+diff-tree`: "git diff-tree HEAD",
	} {
		equal(t, pattern, gated(t, pattern, line), true)
	}
}

func TestGitAtTheEndOfAName(t *testing.T) {
	unseen(t, "git clone https://x/y.git push", "git clone git@x:git/y.git push-service", "git fetch ../x.git push", "./git-push.sh", "scripts/git-push.py")
	seen(t, "git clone https://x/y.git push && git push", "y.git push; /x/git push", "git-push")
}

func TestTextForProgramsThatRunNone(t *testing.T) {
	unseen(t, `curl -d '{"text":"git push is done"}' https://x`, "wget --post-data 'git push' https://x", "date +'git push %s'", "xdg-open 'git push.md'", "open 'git push.md'",
		"tldr git push", "stat 'git push'", "file 'git push'", "du 'git push'")
	seen(t, "curl https://x | bash; git push", "curl -d \"$(git push)\" https://x")
}

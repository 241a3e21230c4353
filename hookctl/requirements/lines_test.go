package requirements

import "testing"

func TestDangerBehindRunners(t *testing.T) {
	for line, want := range map[string]string{
		"xvfb-run -a rm -rf /srv": "rm_root", "uv run -- rm -rf /srv": "rm_root", "npm exec -- rm -rf /srv": "rm_root", "mise x -- find /srv -delete": "rm_root",
		"nix develop -c rm -rf /srv": "rm_root", "cmd /c rm -rf /srv": "rm_root", "wsl -e /bin/rm -rf /srv": "rm_root",
		"bundle exec rm -rf tmp/cache": "", "npm rm left-pad": "", "uv run pytest -k rm": "", "xvfb-run npm test": "", "mise x -- find . -delete": "",
		"docker exec box rm -rf /srv": "", "kubectl exec pod -- rm -rf /srv": "", "docker run --rm img": "", "docker rm -f /box": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestDangerInLinesForAShell(t *testing.T) {
	for line, want := range map[string]string{
		"npx -c 'git push -f'": "force_push_short", "npx --call='git push --force'": "force_push", "npm exec -c 'rm -rf /srv'": "rm_root",
		"nix-shell -p git --run 'git push -f'": "force_push_short", "ls | entr -rs 'git clean -fdx'": "git_clean", "vagrant ssh -c 'rm -rf /srv'": "rm_root",
		"hyperfine -w 3 'git -C d clean -f'": "git_clean", "npx concurrently 'make' 'git push -f'": "force_push_short", "tmux new -d 'git push -f'": "force_push_short",
		"tmux send-keys -t x 'git reset --hard origin/main' Enter": "reset_remote",
		`powershell.exe -NoProfile -Command "git push --force"`:    "force_push", "pwsh -c git push -f": "force_push_short", `pwsh -Command "& 'git' push -f"`: "force_push_short",
		`cmd.exe /d /C "cd d && git push -f"`: "force_push_short", "cmd //c 'git clean -f'": "git_clean",
		"npx -c 'echo git push -f'": "", "hyperfine 'grep -r \"git push -f\" .'": "", "tmux send-keys -t x 'git status' Enter": "", "nix-shell -I./git -p git": "",
		"powershell -Command Get-ChildItem": "", "cmd /c dir": "", "pwsh script.ps1": "", "npx prettier --check 'git push -f'": "",
	} {
		equal(t, line, danger(t, line), want)
	}
	seen(t, `powershell -Command "Set-Location d; git -C d push"`, "cmd /c git -C d push", "npx concurrently 'git -C d push'")
}

func TestInputOfAShellElsewhere(t *testing.T) {
	for line, want := range map[string]string{
		"ssh host <<'E'\ncd x\ngit -C d push -f\nE": "force_push_short", "ssh -T u@host bash -s <<'E'\ngit -C d push -f\nE": "force_push_short",
		"echo 'git -C d push -f' | ssh -p 22 host": "force_push_short", "docker exec -i box bash <<'E'\ngit -C d push -f\nE": "force_push_short",
		"ssh host 'cat > x.sh' <<'E'\nrm -rf /srv\nE": "", "cat x <<'E' | ssh host tee x\nrm -rf /srv\nE": "", "ssh host 'psql d' <<< 'drop table x'": "sql_drop",
	} {
		equal(t, line, danger(t, line), want)
	}
	seen(t, "ssh host 'cd x && bash -s' <<'E'\ngit -C d push\nE", "docker exec -i box sh -x <<'E'\ngit -C d push\nE", "docker exec -i box sh run.sh <<< 'git push'")
	unseen(t, "ssh host 'cat > notes' <<< 'git push'", "echo 'git push' | ssh host tee notes")
}

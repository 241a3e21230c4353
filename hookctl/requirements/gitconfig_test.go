package requirements

import (
	"strings"
	"testing"
)

func TestAliasesOfGitInTheLine(t *testing.T) {
	seen(t,
		"git -c alias.x=push x", "git -C d -c alias.x=push x", "git --git-dir d -c alias.x='!git -C d push' x", "git -c a=b -C d -c Alias.x='push -v' x",
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x",
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!git -C d push' git x",
		"GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c GIT_CONFIG_KEY_1=alias.x GIT_CONFIG_VALUE_1=push git x",
		"export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push; git -C d x",
		"env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x", "sudo GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x",
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='git -C d push' git log", "GIT_CONFIG_PARAMETERS=\"'alias.x=push'\" git x",
		"P=push; git --config-env=alias.x=P x", "export P=push; git --config-env alias.x=P x", "git config set alias.x push && git x",
	)
	unseen(t,
		"git -C d -c alias.x=push log", "git -C -c alias.x=push x", "GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git log", "GIT_CONFIG_KEY_0=alias.x git x", "GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push make x",
		"GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0='git push' git log", "git --config-env=alias.x=P x", "git --config-env", "GIT_CONFIG_PARAMETERS=\"'user.name=push'\" git x",
	)
	for line, want := range map[string]string{
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='push -f' git x": "force_push_short",
		"git -C d -c alias.x='clean -fdx' x":                                             "git_clean",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestManySettingsOfGit(t *testing.T) {
	seen(t,
		"export GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!git x'; "+strings.Repeat("git x; ", 5000)+"git push",
		strings.Repeat("git -c core.pager='git log' log; ", 1000)+"git push",
	)
}

package settings

import (
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// PluginHooks returns the hooks/hooks.json of a plugin whose hooks call command: the full profile.
func PluginHooks(command string) []byte {
	s := style{nl: "\n", unit: "  ", space: " "}
	root := object{{"description", "Records every hook"}, hooksNode(entries(Full, command))}
	return []byte(s.render(root, level{multi: true}) + "\n")
}

// pluginOf returns the id under which enabledPlugins, an object of ids to booleans, switches the plugin on: hookline of any
// marketplace. Empty: none does.
func pluginOf(enabled hujson.Value) string {
	plugins, _ := decode(enabled).(map[string]any)
	for _, id := range slices.Sorted(maps.Keys(plugins)) {
		if strings.HasPrefix(id, "hookline@") && plugins[id] == true {
			return id
		}
	}
	return ""
}

package settings

import (
	"maps"
	"slices"
	"strings"
)

// PluginHooks returns the hooks/hooks.json of a plugin whose hooks call command: the full profile.
func PluginHooks(command string) []byte {
	d, _ := parse("", []byte("{\n  \"description\": \"Records every hook\"\n}\n")) // which is valid
	return d.insert(Options{Profile: Full}.entries(command))
}

// plugin returns the id under which enabledPlugins, an object of ids to booleans, switches the plugin on: hookline of any
// marketplace. Empty: none does.
func (d *document) plugin() string {
	var plugins map[string]any
	if enabled := d.root.Find("/enabledPlugins"); enabled != nil {
		_ = decode(*enabled, &plugins) // of another form: none
	}
	for _, id := range slices.Sorted(maps.Keys(plugins)) {
		if strings.HasPrefix(id, "hookline@") && plugins[id] == true {
			return id
		}
	}
	return ""
}

// Package plugin is hookline as a plugin of Claude Code: manifest, hooks, the MCP server and a skill.
//
// The files beside this one are the plugin as the client reads it from this repository; its hooks call `hookctl` by its bare
// name. Write makes a copy whose hooks call one installed program.
package plugin

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is the plugin's, and the marketplace's that holds it alone.
const Name = "hookline"

// ID is how the client's settings and commands name the plugin.
const ID = Name + "@" + Name

//go:embed .claude-plugin/plugin.json README.md skills
var files embed.FS

// Write makes dir a marketplace that holds the plugin, with hooks as its hooks/hooks.json, and command as the program of its MCP server. Files of an earlier Write are replaced, folders
// get mode 0700, files 0600. An error names the file that could not be written.
func Write(dir string, hooks []byte, command string) error {
	market := encoded(map[string]any{
		"name": Name, "description": "A flight recorder for Claude Code", "owner": map[string]string{"name": "The hookline maintainers"},
		"plugins": []map[string]string{{"name": Name, "source": "./plugin"}},
	})
	server := encoded(map[string]any{"mcpServers": map[string]any{Name: map[string]any{"command": command, "args": []string{"mcp"}}}})
	for path, text := range map[string][]byte{".claude-plugin/marketplace.json": market, "plugin/hooks/hooks.json": hooks, "plugin/.mcp.json": server} {
		if err := write(filepath.Join(dir, filepath.FromSlash(path)), text); err != nil {
			return fmt.Errorf("write the plugin: %w", err)
		}
	}

	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return write(filepath.Join(dir, "plugin", filepath.FromSlash(path)), text)
	})
	if err != nil {
		return fmt.Errorf("write the plugin: %w", err)
	}
	return nil
}

func encoded(v any) []byte {
	text, _ := json.MarshalIndent(v, "", "  ") // maps of texts cannot fail
	return text
}

// write replaces one file by a rename, so that the client reads the old one or the new one whole.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

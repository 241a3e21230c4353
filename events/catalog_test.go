package events

import (
	"encoding/json"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"

	"hookline/expect"
)

// clientHooks are the hooks of the client, version 2.1.329.
var clientHooks = []string{
	"ConfigChange", "CwdChanged", "DirectoryAdded", "Elicitation", "ElicitationResult", "FileChanged", "InstructionsLoaded",
	"MessageDisplay", "Notification", "PermissionDenied", "PermissionRequest", "PostCompact", "PostModelSwitch", "PostToolBatch",
	"PostToolUse", "PostToolUseFailure", "PreCompact", "PreModelSwitch", "PreToolUse", "SessionEnd", "SessionStart", "Setup", "Stop",
	"StopFailure", "SubagentStart", "SubagentStop", "TaskCompleted", "TaskCreated", "TeammateIdle", "UserPromptExpansion",
	"UserPromptSubmit", "WorktreeCreate", "WorktreeRemove",
}

func TestCatalogHasEveryHookOfTheClient(t *testing.T) {
	var hooks []string
	for _, k := range Catalog() {
		if k.Hook != "" && k.Hook != "Interrupt" { // that is of Codex alone
			hooks = append(hooks, k.Hook)
		}
	}
	sort.Strings(hooks)
	if !reflect.DeepEqual(hooks, clientHooks) || len(hooks) != 33 {
		t.Errorf("hooks %q", hooks)
	}
	for _, h := range clientHooks {
		k := OfHook(h)
		if k.Hook != h {
			t.Errorf("%s is recorded as %s", h, k.Type)
		}
		if _, ok := k.New().(HookEvent); !ok {
			t.Errorf("%s has no common fields", k.Type)
		}
	}
	for _, h := range []string{"", "stop", "QuotaWarning"} {
		expect.Equal(t, OfHook(h).Type, "hook.unrecognized", "hook", h, "is recorded as")
	}
}

func TestCatalogLines(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+\.[a-z]+(_[a-z]+)*$`)
	previous := ""
	for _, k := range Catalog() {
		if !name.MatchString(k.Type) {
			t.Errorf("%q is no area.what_happened", k.Type)
		}
		if k.Type <= previous {
			t.Errorf("%s is not behind %s", k.Type, previous)
		}
		previous = k.Type
		if k.Doc == "" || k.Version() < 1 || strings.Index(k.Type, ".") < 1 {
			t.Errorf("%s: %+v", k.Type, k)
		}
		e := k.New()
		expect.Equal(t, e.Type(), k.Type, "the struct of", "says")
		if e == k.New() {
			t.Errorf("%s: New gave the same value twice", k.Type)
		}
		if found, ok := Lookup(k.Type); !ok || found.Type != k.Type {
			t.Errorf("%s is not found", k.Type)
		}
		checkFields(t, k.Type, reflect.TypeOf(e).Elem())
	}
	if _, ok := Lookup("no.such"); ok {
		t.Error("a type that does not exist was found")
	}
}

// checkFields: a field without a JSON name would be renamed with its Go name, and one without a
// description would be blank in the schema and in docs/events.md.
func checkFields(t *testing.T, path string, s reflect.Type) {
	t.Helper()
	wire := regexp.MustCompile(`^[a-z][a-z0-9_]*(,omitempty)?$`)
	for i := range s.NumField() {
		f := s.Field(i)
		if f.Anonymous {
			checkFields(t, path, f.Type)
			continue
		}
		if !wire.MatchString(f.Tag.Get("json")) {
			t.Errorf("%s.%s has the JSON name %q", path, f.Name, f.Tag.Get("json"))
		}
		if f.Tag.Get("jsonschema_description") == "" {
			t.Errorf("%s.%s has no description", path, f.Name)
		}
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice && inner != reflect.TypeFor[json.RawMessage]() {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			checkFields(t, path+"."+f.Name, inner)
		}
	}
}

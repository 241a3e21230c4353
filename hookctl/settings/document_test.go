package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/safeopen"
)

func TestMalformedIsRefusedUntouched(t *testing.T) {
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	cases := map[string]struct {
		text         string
		line, column int
		msg          string
	}{
		"brace missing":       {"{\n  \"a\": 1\n", 3, 1, "parsing object after value: unexpected EOF"},
		"no last line end":    {`{"a":1`, 1, 7, "parsing object after value: unexpected EOF"},
		"comma missing":       {"{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "invalid character '\"' after object value (expecting ',' or '}')"},
		"after characters":    {"{\"ä\": \"日本\", b}", 1, 13, "invalid literal: b"},
		"after a mark":        {"\xef\xbb\xbf{]", 1, 2, "invalid character ']' at start of value"},
		"crlf":                {"{\r\n  \"a\": tru\r\n}", 2, 8, "invalid literal: tru"},
		"two values":          {"{}\n{}", 2, 1, "invalid character '{' after top-level value"},
		"open string":         {"{\"a\": \"b}", 1, 10, "parsing string: unexpected EOF"},
		"open comment":        {"{} /* a", 1, 4, "parsing comment: unexpected EOF"},
		"binary":              {"\x00\x01", 1, 1, "invalid character '\\u0000' at start of value"},
		"root array":          {"\n [{}]", 2, 2, "settings are not an object"},
		"root null":           {"null", 1, 1, "settings are not an object"},
		"hooks array":         {"{\n  \"hooks\": []\n}", 2, 12, `"hooks" is not an object`},
		"hooks null":          {`{"hooks":null}`, 1, 10, `"hooks" is not an object`},
		"event object":        {"{\"hooks\": {\n\"Stop\": {}}}", 2, 9, "hooks of Stop are not an array"},
		"unknown event":       {`{"hooks":{"Mine":1}}`, 1, 18, "hooks of Mine are not an array"},
		"hooks twice":         {"{\"hooks\": {},\n \"hooks\": {}}", 2, 2, `"hooks" is given twice`},
		"hooks twice escaped": {"{\"hooks\": {},\n \"h\\u006foks\": {}}", 2, 2, `"hooks" is given twice`},
		"event twice":         {"{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}", 2, 1, "hooks of Stop are given twice"},
		"handlers twice":      {"{\"hooks\": {\"Stop\": [{\"hooks\":[],\n\"hooks\":[]}]}}", 2, 1, `"hooks" is given twice`},
		"too deep":            {"{\n\"a\":" + deep + "}", 2, 1004, "nested more than 1000 levels deep"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			path := put(t, o, c.text)
			for verb, do := range map[string]func(Options) (Result, error){"install": Install, "uninstall": Uninstall} {
				_, err := do(o)
				var bad *SyntaxError
				if !errors.As(err, &bad) {
					t.Fatalf("%s: %v", verb, err)
				}
				if bad.Path != path || bad.Line != c.line || bad.Column != c.column || bad.Msg != c.msg {
					t.Errorf("%s: %d:%d %s", verb, bad.Line, bad.Column, bad.Msg)
				}
				if !strings.HasPrefix(err.Error(), verb+" hooks: "+path+":") || !strings.Contains(bad.Hint(), "nothing was changed") {
					t.Errorf("%v / %s", err, bad.Hint())
				}
			}
			if get(t, path) != c.text || len(names(t, filepath.Dir(path))) != 1 {
				t.Error("file was touched")
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	o := options(t)
	path := put(t, o, "{}")
	expect.OK(t, os.Truncate(path, 16<<20+1))
	if _, err := Install(o); !errors.Is(err, safeopen.ErrRefused) {
		t.Errorf("%v", err)
	}
}

// Whatever bytes there are: no panic, and what is accepted goes there and back.
func FuzzThereAndBack(f *testing.F) {
	for _, text := range shapes {
		f.Add([]byte(text))
	}
	f.Add([]byte(foreignBoth))
	want := entries(Identity, testBinary)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := parse("settings.json", data)
		if err != nil {
			return
		}
		base, err := parse("settings.json", doc.original(backup{}).data)
		if err != nil {
			t.Fatalf("stripped: %v", err)
		}
		out := base.insert(want)
		if err := doc.check(out, want); err != nil {
			t.Fatalf("%v\n%q", err, out)
		}
		if len(doc.entries()) > 0 {
			return
		}
		installed, _ := parse("settings.json", out)
		expect.EqualNow(t, string(installed.original(backup{content{true, data}}).data), string(data), "left")
		left, err := parse("settings.json", installed.cutOurs(nil))
		if err != nil || len(left.entries()) != 0 {
			t.Fatalf("cut: %v", err)
		}
	})
}

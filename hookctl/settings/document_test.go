package settings

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/problem"
)

func TestMalformedIsRefusedUntouched(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1\n":                            "line 3, column 1: parsing object after value: unexpected EOF",
		"{\n  \"a\": 1\n  \"b\": 2\n}":               "line 3, column 3: invalid character '\"' after object value (expecting ',' or '}')",
		"\xef\xbb\xbf{]":                             "line 1, column 2: invalid character ']' at start of value",
		"{} /* a":                                    "line 1, column 4: parsing comment: unexpected EOF",
		"\x00\x01":                                   "line 1, column 1: invalid character '\\u0000' at start of value",
		"// to do: settings\n":                       "line 2, column 1: parsing value: unexpected EOF",
		"\n [{}]":                                    "settings are not an object",
		`{"hooks":null}`:                             `"hooks" is not an object`,
		"{\"hooks\": {\n\"Stop\": {}}}":              "hooks of Stop are not an array",
		"{\"hooks\": {},\n \"h\\u006foks\": {}}":     `"hooks" is given twice`,
		"{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}": "hooks of Stop are given twice",
		strings.Repeat("[", 1001) + strings.Repeat("]", 1001): "nested more than 1000 levels deep",
	} {
		o := options(t)
		path := put(t, o, text)
		for _, do := range []func(Options) (Result, error){Install, Uninstall} {
			_, err := do(o)
			var bad *problem.Error
			if !errors.As(err, &bad) || bad.Message != path+": "+want || bad.Hint != "nothing was changed; correct that file and try again" {
				t.Errorf("%.40q: %v", text, err)
			}
		}
		if get(t, path) != text || len(names(t, filepath.Dir(path))) != 1 {
			t.Errorf("%.40q: file was touched", text)
		}
	}
}

// Whatever bytes there are: no panic, and what is accepted goes there and back.
func FuzzThereAndBack(f *testing.F) {
	for _, text := range shapes {
		f.Add([]byte(text))
	}
	f.Add([]byte(foreignBoth))
	want := Options{Profile: Identity}.entries(testBinary)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := parse("settings.json", data)
		if err != nil {
			return
		}
		had := len(doc.entries())
		base, err := parse("settings.json", doc.original(nil))
		if err != nil {
			t.Fatalf("stripped: %v", err)
		}
		out := base.insert(want)
		installed, err := parse("settings.json", out)
		if err != nil || !installed.holds(want) {
			t.Fatalf("%v\n%q", err, out)
		}
		if had > 0 {
			return
		}
		expect.EqualNow(t, string(installed.original(data)), string(data), "left")
		again, _ := parse("settings.json", out)
		left, err := parse("settings.json", again.cutOurs())
		if err != nil || len(left.entries()) != 0 {
			t.Fatalf("cut: %v", err)
		}
	})
}

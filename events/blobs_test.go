package events

import "testing"

func TestRefs(t *testing.T) {
	const hello = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	for data, want := range map[string]int{
		`{"a":{"$blob":"` + hello + `","size":5}}`: 1,
		`{"a":{"$$blob":"` + hello + `"}}`:         0, // the client's own
		`{"a":"{\"$blob\":\"` + hello + `\"}"}`:    0, // inside a string
		`{"a":{"$blob" : "` + hello + `"},"b":[]}`: 1,
		`{"$blob":"sha256:12"}`:                    0,
	} {
		if got := Refs([]byte(data)); len(got) != want || want == 1 && got[0] != hello {
			t.Errorf("%s: %v", data, got)
		}
	}
}

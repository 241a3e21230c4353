package facts

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

func TestStripCredentials(t *testing.T) {
	secret := strings.Repeat("s3cr", 3) // put together here, so that no scanner takes this file for a leak
	for in, want := range map[string]string{
		"https://example.com/a/b.git":                       "https://example.com/a/b.git",
		"https://user@example.com/a.git":                    "https://example.com/a.git",
		"https://user:" + secret + "@example.com/a.git":     "https://example.com/a.git",
		"https://example.com:8443/a@v1":                     "https://example.com:8443/a@v1",
		"https://[::1]:80/a@v1":                             "https://[::1]:80/a@v1",
		"https://example.com/a.git?token=" + secret:         "https://example.com/a.git",
		"https://example.com/a.git#" + secret:               "https://example.com/a.git",
		"ssh://git@example.com:22/a.git":                    "ssh://git@example.com:22/a.git",
		"ssh://git:" + secret + "@example.com/a.git":        "ssh://git@example.com/a.git",
		"git@example.com:a/b.git":                           "git@example.com:a/b.git",
		"git:" + secret + "@example.com:a/b.git":            "git@example.com:a/b.git",
		"host:pkg@v1":                                       "host:pkg@v1",
		`C:\src\a@b`:                                        `C:\src\a@b`,
		"/srv/git/a@b.git":                                  "/srv/git/a@b.git",
		"file:///srv/git/a.git":                             "file:///srv/git/a.git",
		"ext::ssh -i key " + secret + " git@example.com %S": "",
		"codecommit::us-east-1://" + secret + "@repo":       "",
		"": "",
	} {
		expect.Equal(t, StripCredentials(in), want, in)
	}
}

// No password without a slash gets through, whatever it is made of.
func TestStripCredentialsLeavesNoPassword(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		password := rapid.StringMatching(`[!-.0-~]{1,20}`).Draw(t, "password")
		scheme := rapid.SampledFrom([]string{"https", "http", "ssh", "git", "ftp"}).Draw(t, "scheme")
		want := scheme + "://example.com/a"
		if scheme == "ssh" {
			want = "ssh://git@example.com/a"
		}
		expect.EqualNow(t, StripCredentials(scheme+"://git:"+password+"@example.com/a"), want)
	})
}

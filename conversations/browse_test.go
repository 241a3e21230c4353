//go:build linux

package conversations

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdBrowse opens the link when it has come, keeps the cookie in $COOKIE, and prints what the path gives.
func cmdBrowse(ts *testscript.TestScript, neg bool, args []string) {
	var link struct{ URL string }
	ts.Check(eventually(func() error {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil {
			err = json.Unmarshal(text, &link)
		}
		return err
	}))
	if ts.Getenv("COOKIE") == "" {
		once := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := once.Get(link.URL)
		ts.Check(err)
		_ = resp.Body.Close()
		cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
		ts.Setenv("COOKIE", cookie)
	}

	base, _, _ := strings.Cut(link.URL, "/open")
	req, err := http.NewRequest(http.MethodGet, base+args[1], nil)
	ts.Check(err)
	req.Header.Set("Cookie", ts.Getenv("COOKIE"))
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = ts.Stdout().Write(body)
	ts.Check(err)
	if ok := resp.StatusCode == http.StatusOK; ok == neg {
		ts.Fatalf("%s answers %s", args[1], resp.Status)
	}
}

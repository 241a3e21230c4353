//go:build linux

package conversations

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdBrowse opens the link when it has come, keeps the cookie beside it, and prints what the path gives.
func cmdBrowse(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: browse FILE PATH")
	}
	link, err := linkIn(ts.MkAbs(args[0]))
	ts.Check(err)
	kept := ts.MkAbs(args[0] + ".cookie")
	if _, err := os.Stat(kept); err != nil {
		cookie, err := openLink(link)
		ts.Check(err)
		ts.Check(os.WriteFile(kept, []byte(cookie), 0o600))
	}
	cookie, err := os.ReadFile(kept)
	ts.Check(err)

	base, _, _ := strings.Cut(link, "/open")
	req, err := http.NewRequest(http.MethodGet, base+args[1], nil)
	ts.Check(err)
	req.Header.Set("Cookie", string(cookie))
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

// linkIn waits for the line of `page --json`.
func linkIn(file string) (string, error) {
	var line struct{ URL string }
	err := eventually(func() error {
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		return err
	})
	return line.URL, err
}

// openLink uses the token and returns the cookie.
func openLink(link string) (string, error) {
	once := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := once.Get(link)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	cookie, _, ok := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if !ok {
		return "", fmt.Errorf("the link answers %s and gives no cookie", resp.Status)
	}
	return cookie, nil
}

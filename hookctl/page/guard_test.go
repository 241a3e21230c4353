package page

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"hookline/expect"
)

// ask sends one request to a server.
func ask(t *testing.T, c *http.Client, link string, change ...func(*http.Request)) (status int, body string, h http.Header) {
	t.Helper()
	req := expect.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil))(t)
	for _, f := range change {
		f(req)
	}
	resp := expect.Value(c.Do(req))(t)
	defer resp.Body.Close()
	text := expect.Value(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(text), resp.Header
}

// browser is a client that keeps cookies, as the one that opened the link.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar := expect.Value(cookiejar.New(nil))(t)
	return &http.Client{Jar: jar}
}

// Only the browser that opened the link gets anything, and only by this host's own pages.
func TestWhoMayRead(t *testing.T) {
	link := serve(t, demoSource(), Options{})
	base, _, _ := strings.Cut(link, "/open")
	stranger, own := &http.Client{}, browser(t)

	for _, c := range []struct {
		name, link string
		by         *http.Client
		status     int
	}{
		{"without a cookie", base + "/", stranger, http.StatusForbidden},
		{"with a guessed token", base + "/open?token=AAAAAAAAAAAAAAAAAAAAAAAAAA", stranger, http.StatusForbidden},
		{"with the link", link, own, http.StatusOK},
		{"with the link once more, in another browser", link, stranger, http.StatusForbidden},
		{"with the link once more, in the same browser", link, own, http.StatusOK},
	} {
		status, body, _ := ask(t, c.by, c.link)
		expect.Equal(t, status, c.status, c.name)
		expect.Equal(t, strings.Contains(body, "Add retries"), c.by == own, c.name, "the sessions are told")
	}

	site := func(site, mode, dest string) map[string]string {
		return map[string]string{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
	}
	for _, c := range []struct {
		name, method, host string
		headers            map[string]string
		status             int
	}{
		{"another host", "GET", "evil.example:80", nil, http.StatusMisdirectedRequest},
		{"localhost", "GET", strings.Replace(base[len("http://"):], "127.0.0.1", "localhost", 1), nil, http.StatusMisdirectedRequest},
		{"another origin", "GET", "", map[string]string{"Origin": "http://evil.example"}, http.StatusForbidden},
		{"no origin of a sandbox", "GET", "", map[string]string{"Origin": "null"}, http.StatusForbidden},
		{"an image of another site", "GET", "", site("cross-site", "", ""), http.StatusForbidden},
		{"a frame of another port", "GET", "", site("same-site", "navigate", "iframe"), http.StatusForbidden},
		{"a form", "POST", "", nil, http.StatusMethodNotAllowed},
		{"its own script", "GET", "", map[string]string{"Origin": base, "Sec-Fetch-Site": "same-origin"}, http.StatusOK},
	} {
		status, _, _ := ask(t, own, base+"/", func(r *http.Request) {
			r.Method = c.method
			r.Host = c.host // "" is the one that is asked
			for name, v := range c.headers {
				r.Header.Set(name, v)
			}
		})
		expect.Equal(t, status, c.status, c.name)
	}
}

// The cookie is for this host and no script; a page may load and run nothing but its own.
func TestHeaders(t *testing.T) {
	link := serve(t, demoSource(), Options{})
	once := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	status, _, h := ask(t, once, link)
	cookie := h.Get("Set-Cookie")
	if status != http.StatusSeeOther || !strings.Contains(cookie, "; HttpOnly") || !strings.Contains(cookie, "; SameSite=Strict") || strings.Contains(cookie, "Domain") {
		t.Errorf("%d, cookie %q", status, cookie)
	}
	for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'; script-src 'sha256-", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"} {
		if !strings.HasPrefix(h.Get(name), want) {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
	if p := h.Get("Content-Security-Policy"); strings.Contains(p, "unsafe") || !strings.Contains(p, "frame-ancestors 'none'") {
		t.Errorf("policy %q", p)
	}
}

package page

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
)

// Who may read. The link's token can be used once: the browser that opens it gets a cookie, which the browser sends
// back to this host alone and hides from scripts. A page of another site can send requests here, but without the
// cookie (SameSite), with its origin (Origin, Sec-Fetch-Site), and with another Host if it uses a name of its own for
// this address.

// guard refuses requests that do not come from the browser that opened the link.
type guard struct {
	host       string // of the link: 127.0.0.1:PORT
	cookieName string // has the port, as a browser sends the cookies of a host to all its ports
	firstPath  string // of the page that the link opens

	mu          sync.Mutex
	token       string // "" after its use
	cookieValue string
}

func newGuard(host, firstPath string) *guard {
	port := host[strings.LastIndex(host, ":")+1:]
	return &guard{
		host:        host,
		cookieName:  "hookline-" + port,
		firstPath:   firstPath,
		token:       rand.Text(),
		cookieValue: rand.Text(),
	}
}

// link returns the address that opens the page once.
func (g *guard) link() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return "http://" + g.host + "/open?token=" + g.token
}

// wrap returns a handler that passes allowed requests on.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy("'self'")+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")

		switch {
		case r.Host != g.host:
			http.Error(w, "this is not the host that you mean", http.StatusMisdirectedRequest)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			http.Error(w, "the page is for reading", http.StatusMethodNotAllowed)
		case g.isForeign(r):
			http.Error(w, "not from another site", http.StatusForbidden)
		case r.URL.Path == "/open":
			g.open(w, r)
		case !g.hasCookie(r):
			http.Error(w, "Open the link that `hookctl page` has printed. It opens the page once; "+
				"a new one is printed by the next `hookctl page`.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isForeign tells whether the page of another site has made a request. A link that is followed from elsewhere is
// "cross-site" and "navigate": without the cookie it is refused, and with the token it is the person's own click.
func (g *guard) isForeign(r *http.Request) bool {
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+g.host {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// open exchanges the token for the cookie. The browser that has the cookie may open the link again.
func (g *guard) open(w http.ResponseWriter, r *http.Request) {
	if g.useToken(r) {
		http.SetCookie(w, &http.Cookie{
			Name:     g.cookieName,
			Value:    g.cookieValue,
			Path:     "/",
			HttpOnly: true,
			SameSite: http.SameSiteStrictMode,
		})
	} else if !g.hasCookie(r) {
		http.Error(w, "This link was used. Stop `hookctl page` and start it again for a new one.", http.StatusForbidden)
		return
	}
	http.Redirect(w, r, g.firstPath, http.StatusSeeOther)
}

// useToken tells whether a request has the token, and makes the token invalid then. A HEAD request does not use it.
func (g *guard) useToken(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()

	if r.Method != http.MethodGet || g.token == "" {
		return false
	}
	if !equalSecret(r.URL.Query().Get("token"), g.token) {
		return false
	}
	g.token = ""
	return true
}

func (g *guard) hasCookie(r *http.Request) bool {
	c, err := r.Cookie(g.cookieName)
	return err == nil && equalSecret(c.Value, g.cookieValue)
}

// equalSecret compares in constant time.
func equalSecret(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

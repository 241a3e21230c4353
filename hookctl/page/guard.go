package page

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
)

// Who may read. The link's token is good for one use: the browser that opens it gets a cookie that the browser sends back to this
// host alone and that no script sees. A page of another site can send requests here but has no cookie with them
// (SameSite), says where it comes from (Origin, Sec-Fetch-Site), and by a name of its own for this address another Host.

// guard lets requests through.
type guard struct {
	host   string // as the link has it: 127.0.0.1:PORT
	cookie string // its name, by port: one cookie serves all ports of a host
	first  string // path of the page that the link opens

	mu    sync.Mutex
	token string // "" when it was used
	key   string // value of the cookie
}

func newGuard(host, first string) *guard {
	port := host[strings.LastIndex(host, ":")+1:]
	return &guard{host: host, cookie: "hookline-" + port, first: first, token: rand.Text(), key: rand.Text()}
}

// wrap refuses what is not the browser that opened the link.
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
		case g.foreign(r):
			http.Error(w, "not from another site", http.StatusForbidden)
		case r.URL.Path == "/open":
			g.open(w, r)
		case !g.known(r):
			http.Error(w, "Open the link that `hookctl page` has printed. It opens the page once; a new one is printed by the next `hookctl page`.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreign says whether another site's page has made a request. Following a link from elsewhere is "cross-site" and
// "navigate"; without its cookie it gets nothing, and with a token it is the person's own click.
func (g *guard) foreign(r *http.Request) bool {
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+g.host {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// open takes the token for a cookie.
func (g *guard) open(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	given := r.URL.Query().Get("token")
	first := r.Method == http.MethodGet && g.token != "" && same(given, g.token)
	if first {
		g.token = ""
		http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	if first || g.known(r) { // or the link once more, by who has it open
		http.Redirect(w, r, g.first, http.StatusSeeOther)
		return
	}
	http.Error(w, "This link was used. Stop `hookctl page` and start it again for a new one.", http.StatusForbidden)
}

func (g *guard) known(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	return err == nil && same(c.Value, g.key)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

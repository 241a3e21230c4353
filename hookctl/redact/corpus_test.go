package redact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hookline/expect"
	"hookline/hookctl/redact"
)

// planted is one secret, put together at run time so that no file of ours looks like a leak.
type planted struct {
	kind   string
	secret string // the bytes that must be gone
	text   string // the line it stands in, with %s; empty: the secret alone
}

// letters returns n characters of the alphabet in a fixed, mixed order.
func letters(alphabet string, n int) string {
	var s strings.Builder
	for i := range n {
		s.WriteByte(alphabet[(i*i*7+i*13+5*n+i/3)%len(alphabet)])
	}
	return s.String()
}

const (
	hexes    = "0123456789abcdef"
	uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
	alnums   = "kR7mQ2xVb9TnLs4HwZ8pJc1GfYd6AaEe0ouNBt5iCvDjFgKqMrPhSyUzXlW3IO"
	alnumLow = "q7w3e9r1t5y2u8i4o6p0asdfghjklzxcvbnm"
)

// uuidOf is a text of the form of a UUID.
func uuidOf(alphabet string) string {
	var parts []string
	for _, n := range []int{8, 4, 4, 4, 12} {
		parts = append(parts, letters(alphabet, n))
	}
	return strings.Join(parts, "-")
}

// vendorTokens are recognised by their own form, wherever they stand: one of each form of ours that is a token.
var vendorTokens = sync.OnceValue(func() (list []planted) {
	for kind, secret := range redact.Samples() {
		list = append(list, planted{kind: kind, secret: secret})
	}
	return list
})

// namedSecrets are recognised by what stands around them.
func namedSecrets() []planted {
	an := func(n int) string { return letters(alnums, n) }
	pw, key, low, word := "hun"+"ter2!x", an(24), letters(alnumLow, 32), "correct"+"horsebattery"
	pem := strings.Join([]string{letters(alnums, 64), letters(alnums, 64), letters(alnums, 40)}, "\n")
	block := func(label string) string {
		return "-----BEGIN " + label + "-----\n" + pem + "\n-----END " + label + "-----"
	}
	return []planted{
		{"private-key", block("RSA PRIVATE " + "KEY"), ""},
		{"aws-secret-key", "wJ" + an(36) + "/K", "AWS profile, secret %s"},
		{"aws-secret-key", "wJ" + an(36) + "/K", "aws_secret_access_key = %s"},
		{"azure-storage-key", an(86) + "==", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;EndpointSuffix=core.windows.net"},
		{"url-signature", an(43) + "%3D", "https://x.blob.core.windows.net/c?sv=2024-01-01&sig=%s"},
		{"discord-webhook", letters(digits, 18) + "/" + an(68), "https://discord.com/api/webhooks/%s"},
		{"discord-token", "M" + an(23) + "." + an(6) + "." + an(38), "discord client logs in with %s"},
		{"bearer-token", an(30), "curl -H 'X-Auth: Bearer %s'"},
		{"authorization", an(30), "Authorization: Bearer %s"},
		{"authorization", "dXNlcjpw" + an(12) + "==", "Authorization: Basic %s"},
		{"cookie", an(32), "Cookie: lang=en; sessionid=%s"},
		{"cookie", an(32), "Set-Cookie: sid=%s; Path=/; HttpOnly"},
		{"url-password", pw, "postgres://app:%s@db.internal:5432/app"},
		{"url-password", an(40), "https://%s@git.example.com/x.git"},
		{"password", pw, "export DB_PASSWORD=%s"},
		{"password", pw, "login --password %s --user app"},
		{"password", pw, "curl -u app:%s https://example.com"},
		{"password", pw, "machine git.example.com login app password %s"},
		{"password", "correct" + "horsebattery", "  password: %s\n  user: app"},
		{"api-key", an(24), "const apiKey: string = '%s';"},
		{"api-key", an(24), "STRIPE_KEY=%s"},
		{"token", an(24), "//registry.npmjs.org/:_authToken=%s"},
		{"token", an(24), "- name: DEPLOY_TOKEN\n  value: %s"},
		{"secret", an(24), "os.environ['CLIENT_SECRET'] = '%s'"},
		{"auth", "dXNlcjpwYXNz" + an(12), "_auth=%s"},
		{"password", word, "ALTER USER app WITH ENCRYPTED PASSWORD '%s';"},
		{"password", word, "ENV DB_PASSWORD %s"},
		{"password", word, "[password] => %s"},
		{"api-key", key, `#define API_KEY "%s"`},
		{"api-key", low, "the api key %s is old"},
		{"secret", low, "clockify SECRET %s"},
		{"token", low, "the access token is %s"},
		{"api-key", low, "GET /v1?key=%s&x=1"},
		{"password", "blooberry", `The default Password is '%s'`},
		{"password", "hun" + "ter2x9", "my password is %s now"},
		{"password", "kr1x", "credentials {\n    username 'u'\n    password '%s'\n}"},
		{"api-key", strings.ToUpper(letters(hexes, 24)), "license key %s"},
		{"password", word, "define('DB_PASSWORD', '%s');"},
		{"password", key, `auth: { user: "me", pass: "%s" }`},
		{"password", key, "\tpassword '%s'"},
		{"password", word, "credentials {\r\n\t\tpassword \"%s\"\r\n}"},
		{"password", key, "password %s"},
		{"password", key, `char pass[] = "%s";`},
		{"discord-token", "MTk4NjIyNDgzNDcx" + "OTI1MjQ4.Cl2FMQ." + letters(alnums, 27), `client.login("%s")`},
		{"secret", key, "const s = process.env.CLIENT_SECRET || '%s';"},
		{"password", word, "password: |\n  %s\nuser: app"},
		{"token", key, "$apiToken .= \"%s\";"},
		{"token", key, "API_TOKEN :::= \"%s\""},
		{"password", word, "<key>password</key>\n\t<string>%s</string>"},
		{"password", word, "<property><name>db.password</name><value>%s</value></property>"},
		{"password", word, `<add key="ClearTextPassword" value="%s" />`},
		{"token", key, "<apiToken>\n    %s\n</apiToken>"},
		{"token", key, "api token - '%s'"},
		{"token", key, "\x1b[32mAPI_TOKEN\x1b[0m=%s"},
		{"token", key, "api_token: \x1b[33m%s\x1b[0m"},
		{"token", key, "api_token%3D%s&x=1"},
		{"token", key, `api_token <- "%s"`},
		{"token", key, `api_token: Final[str] = "%s"`},
		{"token", key, `api_token='''%s'''`},
		{"secret", key, `CLIENT_SECRET = rb"%s"`},
		{"token", key, `.apiToken("%s")`},
		{"password", key, `config.setPassword("%s");`},
		{"token", key, `(setq api-token "%s")`},
		{"token", key, "| api token | %s |"},
		{"secret", key, "client_secret\t%s\tx"},
		{"password", key, `<entry key="db.password">%s</entry>`},
		{"api-key", key, `<string name="api_key">%s</string>`},
		{"password", word, "openssl rsa -passin pass:%s -in k"},
		{"password", word, "ConvertTo-SecureString '%s' -AsPlainText -Force"},
		{"password", word, "echo %s | docker login -u u --password-stdin"},
		{"password", word, "variable \"db_password\" {\n  type = string\n  default = \"%s\"\n}"},
		{"url-password", "pa/ss" + "w0rd", "postgres://app:%s@db.internal/x"},
		{"url-password", word, "smtp://app@example.com:%s@smtp.example.com:587"},
		{"password", word, "password: ${DB_PASSWORD:-%s}"},
		{"password", word, "const p = process.env.DB_PASSWORD ?? '%s';"},
		{"password", word, `val p = System.getenv("DB_PASSWORD") ?: "%s"`},
		{"password", word, `p = os.environ.get("DB_PASSWORD") or "%s"`},
		{"password", "hun" + "ter2x9", "user:app password:%s"},
		{"password", word, "DBPASS=%s"},
		{"private-key", letters(alnums, 43), `{"kty":"OKP","crv":"Ed25519","d":"%s"}`},
		{"adobe-client-id", letters(hexes, 32), "ADOBE_CLIENT_ID: %s"},

		{"cloudflare-key", an(40), "cloudflare wants %s"},
		{"gitlab-token", "glpat-" + an(20), ""},
		{"slack-webhook", "T0" + an(8) + "/B0" + an(8) + "/" + an(24), "curl https://hooks.slack.com/services/%s"},
		{"teams-webhook", an(36) + "@" + an(36) + "/IncomingWebhook/" + an(32), "https://x.webhook.office.com/webhookb2/%s"},
		{"postmark-token", uuidOf(hexes), "the header x-postmark-server-token is %s"},
		{"asana-token", "1/" + letters(digits, 16) + ":" + letters(hexes, 32), "asana client %s"},
		{"datadog-key", letters(hexes, 32), "run DD_API_KEY %s"},
		{"honeycomb-key", "hcaik_" + letters(alnumLow, 58), ""},
		{"pagerduty-key", "u+" + an(18), "pagerduty client %s"},
		{"okta-token", "00" + an(40), "SSWS %s"},
		{"zapier-webhook", letters(digits, 8) + "/" + an(7), "https://hooks.zapier.com/hooks/catch/%s"},
		{"sourcegraph-token", letters(hexes, 40), "SOURCEGRAPH=%s"},
		{"sourcegraph-token", "sgp_" + letters(hexes, 40), ""},
		{"tines-webhook", letters(hexes, 32) + "/" + letters(hexes, 32), "https://x.tines.com/webhook/%s"},
		{"vault-unseal-key", an(43) + "=", "Unseal Key 1: %s"},
		{"jenkins-crumb", letters(hexes, 64), "curl -H 'Jenkins-Crumb: %s'"},
		{"thingsboard-token", an(20), "https://demo.thingsboard.cloud/api/v1/%s/telemetry"},
	}
}

// A rule that needs what stands around the secret has a sample of its own.
func TestEveryRuleHasASample(t *testing.T) {
	planted := map[string]bool{}
	for _, p := range namedSecrets() {
		planted[p.kind] = true
	}
	for _, kind := range redact.Unsampled() {
		if !planted[kind] {
			t.Errorf("the rule of formats.txt for %q has no sample in namedSecrets (corpus_test.go)", kind)
		}
	}
}

// TestDocumentedRules: docs/redaction.md names how many rules there are.
func TestDocumentedRules(t *testing.T) {
	page := string(expect.Value(os.ReadFile(filepath.Join("..", "..", "docs", "redaction.md")))(t))
	theirs, ours := redact.Rules()
	want := fmt.Sprintf("%d rules of gitleaks", theirs)
	if !strings.Contains(page, want) {
		t.Errorf("docs/redaction.md does not say %q", want)
	}
	want = fmt.Sprintf("%d formats of ours", ours)
	if !strings.Contains(page, want) {
		t.Errorf("docs/redaction.md does not say %q", want)
	}
}

// line is the text a planted secret stands in.
func (p planted) line() string {
	if p.text == "" {
		return "found " + p.secret + " here"
	}
	return strings.Replace(p.text, "%s", p.secret, 1)
}

// innocents must come through unharmed.
func innocents() []string {
	hx := func(n int) string { return letters(hexes, n) }
	b64 := func(n int) string { return letters(alnums+"+/", n) }
	low := letters(alnumLow, 32)
	return []string{
		"the cache key " + low, "primary key " + low, "the public key " + low, "next page token " + low,
		"the key parseUint64FromStringSlice", "secret internationalization", "token github.com/owner/name1234567",
		"the password is required", "your password is too short", `password is "required"`, "a token is 4 bytes",
		"key 0x1f2e3d4c5b6a7988", "the secret of life is 42", "api key docs/2026-11-20-notes.md",
		"chunk-token-" + low + ".js", "tokens: 1234567890 of 2000000000", "secret sauce2go",
		"key=" + strings.Repeat("0a1b2c3d", 5), "key=043f0af5-9c27-45d8-a169-f3fdda0888b5", "Key=int32/Elem=bigType",
		"commit " + hx(40), "tree " + hx(64), "Merge " + hx(7) + " into " + hx(7),
		"uses: actions/checkout@" + hx(40) + " # aws-actions, cloudflare, datadog",
		"043f0af5-9c27-45d8-a169-f3fdda0888b5", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"sha256:" + hx(64), "sha512-" + b64(86) + "==", `"integrity": "sha512-` + b64(86) + `=="`,
		"golang.org/x/sys v0.49.0 h1:" + b64(43) + "=", "golang.org/x/sys v0.49.0/go.mod h1:" + b64(43) + "=",
		"checksum = \"" + hx(64) + "\"", "  resolved \"https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#" + hx(40) + "\"",
		"data:image/png;base64,iVBORw0KGgo" + b64(4000), "@@ -1,2 +3,4 @@ func token(key string)",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5" + b64(48) + " user@host", "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1l" + b64(60) + " sk-ecdsa-sha2-nistp256-cert-v01@openssh.com",
		"-----BEGIN CERTIFICATE-----\n" + b64(64) + "\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + b64(64) + "\n-----END PUBLIC KEY-----",
		"if strings.Contains(s, \"-----BEGIN PRIVATE " + "KEY-----\") {",
		"the token count is 5", "password field is required", "The --token option is required", "Enter the password: it must be long",
		"--- PASS: TestAddr2/ipv4 (0.00s)", "PASS: gcc.dg/a-1.c (test for excess errors)", `line.Token[0] == "require2x"`, "for pass := 0; pass < 3; pass++ {", "pass: false",
		"tokens: 4096", `"max_tokens": 4096`, `"input_tokens":12345678,"output_tokens":12345678`, "subagent_tokens: 1234567",
		`"cache_key": "v1-linux-` + hx(32) + `"`, `"tool_use_id":"toolu_01` + b64(22) + `"`, "session_id=043f0af5-9c27-45d8-a169-f3fdda0888b5",
		`"prompt_id": "4d82c686-438f-4604-be6a-9f05dd9e55ea"`, "primary_key: user_id_2024_long_name_1", "key: value", "{ key: 'abcdef1234567890abcdef' }",
		"token = getToken()", "token := s.next()", "key := os.Getenv(\"X\")", "const token = await client.token2()", "password = request.form.password",
		"apiKey: process.env.API_KEY,", "f(password=password, token=token)", "self.password = password", "token: string;", "password: String,", "password?: string",
		"    password: str", "token: Option<String>,", "Password string `json:\"password\"`", "api_key = config[\"api_key\"]", "SECRET_KEY = os.environ[\"SECRET_KEY\"]",
		"PASSWORD=", "PASSWORD=$DB_PASSWORD", "PASSWORD=${DB_PASSWORD}", "token: ${{ secrets.GITHUB_TOKEN }}", "API_KEY=<your-api-key>", "api_key: xxxxxxxxxxxxxxxx",
		"password: '****'", "api_key=\"your-api-key-here\"", "TOKEN=$(cat token.txt)", "password: null", "password: true", "--password-stdin", "token_type: bearer",
		`{"properties":{"password":{"type":"string"},"token":{"type":"string","description":"The token to use"}}}`, `"password": "string"`,
		`password: "Password is required"`, `<input type="password" name="password" placeholder="Your password">`, "Bearer token", "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
		"const KEY_ENTER = 13", "TOKEN_EOF = 257", "tokenizer = AutoTokenizer.from_pretrained(name)", "eos_token = \"</s>\"", "next_page_token=CAUQAA12345678",
		"git clone git@github.com:org/repo.git", "https://example.com/a?b=c&key=1", "see https://user@example.com/", "https://example.com:8080/@scope/pkg",
		"mailto:user@example.com", "Cookie: lang=en; theme=dark", "document.cookie = 'a=b'", "mkdir -p /tmp/a && docker run -p 8080:80 app", "PWD=/home/dev/project", "OLDPWD=/home/dev",
		"!function(e,t){\"use strict\";var n=t.key,r=e.token;return{token:r,key:n,password:e.p}}(window,{});", ".sk-fading-circle-and-more-than-twenty-letters{}",
		"asia-northeast1-docker.pkg.dev, eyJ is base64 of {\"", "Scala SCALABILITY sha1", "password_policy: strict", "passwordless: true", "secretName: tls-cert", "KeyError: 'token'",
		"read(prompt='Password: ', stream=None)", "fmt.Print(\"Password: \", err)", "x = \"token=\" + token + \" and more\"", "The --username and --password options instead",
		"rawToken(`0e+12456789`)", "t.password(\"Password1 is wrong\")", "getToken(\"abc123def456\")", "the function identified by \"repeat\"", "<string name=\"forgot_password\">Forgot?</string>",
		"| token | parseUint64FromStringSlice |", "token: string = useToken()", "echo hello | docker run -i x", "password(\"Enter your password\")",
		"CLIENT_AUTH_KEY=client-auth-key.pem", "key_size768 = k*encodingSize12 + 32", "\"EncryptionKey\": \"EncryptionKey1024\"", "if opts.Token != _EMPTY_:", "nid_key = lib.NID_pbe_WithSHA1And3_Key_TripleDES_CBC",
		"PRIVATE_KEY_PATH=/etc/ssl/private/key.pem", "token_url: https://login.example.com/oauth2/token", "type Key string", "keyboard: de", `"registry-auth-token": "^5.0.1",`, `"@inquirer/password": "^5.0.5"`, `"generate-password": "1.7.0"`, "dev ALL=(ALL) NOPASSWD: /usr/bin/systemctl",
		"x --password <your-password> --user a\n</details>", "x --password <your-password> --user a\n</details>\ny --password <your-password>", "Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089", "${TOKEN:-}", "${PASSWORD:?must be set}", "{password:uint64x2,a}", "fn f(password:uint64 )", "https://user@example.com:8080/@scope", "if (password ?? token)", `"d":"M10 20h30v40z"`, "monkey=banana12345678901",
	}
}

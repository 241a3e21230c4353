package redact

import "slices"

// maxRules bounds the per-scan state; a test holds the table to it.
const maxRules = 160

// rule is one line of the table. A rule is asked only where one of its words occurs.
type rule struct {
	id      string   // name in Finding.Rule; the kind where kind is empty
	kind    string   // what the marker says
	words   []string // lower-case keywords that lead to the rule, matched in any case
	pattern string   // of the token, from the keyword's first byte on; group 1, if any, is the secret (shape.go)
	head    string   // what stands before the keyword, one repeated class, part of the token
	near    int      // the token is looked for in so many bytes behind the keyword instead of at it
	entropy float64  // least Shannon entropy in bits per byte, 0 for none
	mixed   bool     // letters and digits must both occur
	cased   bool     // upper and lower case must both occur
	flat    bool     // or no separator but the prefix's
	open    bool     // more letters may follow the match
	unless  string   // not when the token begins so (another rule's)
	why     string   // source of the format
	find    func(p *pass, m *matcher, start, end int)
}

// allRules is the whole table: structural rules first, then the vendors' token forms.
var allRules = table()

func table() []rule {
	all := slices.Concat(structureRules(), cloudRules(), forgeRules(), modelRules(), serviceRules(), saasRules())
	for i := range all {
		r := &all[i]
		if r.kind == "" {
			r.kind = r.id
		}
		switch {
		case r.find != nil:
		case r.near > 0:
			r.find = findNear
		default:
			r.find = findToken
		}
	}
	return all
}

// structureRules are the ones with code of their own: what is a secret is told by what stands around it.
func structureRules() []rule {
	return []rule{
		{id: "coded", words: []string{`\u00`, `\/`}, find: findCoded, why: "RFC 8259 §7 escapes of printable characters"},
		{id: "private-key", words: []string{"private key", "private-lines:"}, find: findBlock, why: "RFC 7468, RFC 4880 §6.2, PuTTY PPK"},
		{id: "assignment", words: []string{"key", "token", "secret", "passw", "passphrase", "passcode", "pwd", "_pass", "pass=", "pass:", `pass"`, `pass\`, "credential", "_auth", `"auth`, "authorization", "cookie"},
			find: findAssignment, why: "names that say the value is secret"},
		{id: "bearer-token", words: []string{"bearer "}, find: findBearer, why: "RFC 6750"},
		{id: "url-password", words: []string{"://"}, find: findUserInfo, why: "RFC 3986 §3.2.1"},
		{id: "url-signature", words: []string{"sig=", "signature="}, find: findSignature, why: "Azure SAS, AWS SigV4 presigned URLs"},
		{id: "command-password", words: []string{"mysql", "mariadb", "sshpass", "docker login", "podman login", "curl ", "redis-cli"},
			find: findFlags, why: "the programs' manuals: short options that take a password"},
	}
}

// cloudRules: platforms and infrastructure.
func cloudRules() []rule {
	return []rule{
		{id: "aws-access-key-id", words: []string{"akia", "asia", "abia", "acca"}, pattern: `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`, why: "docs.aws.amazon.com IAM identifiers, unique ID prefixes"},
		{id: "aws-secret-key", words: []string{"akia", "aws"}, pattern: `[A-Za-z0-9/+]{40}`, near: 96, entropy: 4.2, mixed: true, cased: true, why: "40 characters of base64, known by company only"},
		{id: "aws-bedrock-key", words: []string{"absk"}, pattern: `ABSK[A-Za-z0-9+/]{100,}={0,2}`, open: true, why: "Amazon Bedrock long-term API keys"},
		{id: "google-api-key", words: []string{"aiza"}, pattern: `AIza[A-Za-z0-9_-]{30,}`, why: "cloud.google.com API keys"},
		{id: "google-oauth-secret", words: []string{"gocspx-"}, pattern: `GOCSPX-[A-Za-z0-9_-]{20,}`, why: "Google OAuth client secrets"},
		{id: "google-oauth-token", words: []string{"ya29.", "1//0"}, pattern: `(?:ya29\.|1//0)[A-Za-z0-9_-]{20,}`, why: "Google OAuth access and refresh tokens"},
		{id: "azure-storage-key", words: []string{"accountkey=", "sharedaccesskey="}, pattern: `(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,}={0,2})`, open: true, why: "Azure connection strings"},
		{id: "azure-client-secret", words: []string{"q~"}, head: `[A-Za-z0-9_~.-]{4}`, pattern: `Q~[A-Za-z0-9_~.-]{31,34}`, why: "Microsoft Entra client secrets"},
		{id: "alibaba-key", words: []string{"ltai"}, pattern: `LTAI[A-Za-z0-9]{17,21}`, why: "Alibaba Cloud access key ids"},
		{id: "digitalocean-token", words: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, pattern: `do[opr]_v1_[a-f0-9]{40,}`, why: "DigitalOcean API tokens"},
		{id: "heroku-key", words: []string{"hrku-"}, pattern: `HRKU-[A-Za-z0-9_-]{30,}`, why: "Heroku API keys since 2024"},
		{id: "fly-token", words: []string{"fm2_", "fm1r_", "fm1a_", "fo1_"}, pattern: `(?:fm2_|fm1[ar]_|fo1_)[A-Za-z0-9+/=_-]{40,}`, open: true, why: "Fly.io macaroons"},
		{id: "cloudflare-key", words: []string{"cloudflare"}, pattern: `[A-Za-z0-9_-]{40}`, near: 48, entropy: 3.4, mixed: true, cased: true, why: "Cloudflare API tokens have no prefix"},
		{id: "cloudflare-origin-key", words: []string{"v1.0-"}, pattern: `v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}`, why: "Cloudflare origin CA keys"},
		{id: "terraform-token", words: []string{".atlasv1."}, head: `[A-Za-z0-9]{14}`, pattern: `\.atlasv1\.[A-Za-z0-9_=-]{40,}`, open: true, why: "HCP Terraform API tokens"},
		{id: "vault-token", words: []string{"hvs.", "hvb.", "hvr."}, pattern: `hv[sbr]\.[A-Za-z0-9_-]{20,}`, why: "HashiCorp Vault 1.10 and later"},
		{id: "doppler-token", words: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, pattern: `dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{20,}`, why: "Doppler token formats"},
		{id: "infisical-token", words: []string{"st."}, pattern: `st\.[a-f0-9]{24}\.[a-f0-9]{32}(?:\.[a-f0-9]{32})?`, why: "Infisical service tokens"},
		{id: "onepassword-token", words: []string{"ops_ey"}, pattern: `ops_eyJ[A-Za-z0-9+/=_-]{40,}`, open: true, why: "1Password service accounts"},
		{id: "onepassword-secret-key", words: []string{"a3-"}, pattern: `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`, why: "1Password secret keys"},
		{id: "pulumi-token", words: []string{"pul-"}, pattern: `pul-[a-f0-9]{40}`, why: "Pulumi access tokens"},
		{id: "planetscale-token", words: []string{"pscale_"}, pattern: `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}`, open: true, why: "PlanetScale"},
		{id: "supabase-key", words: []string{"sbp_", "sb_secret_"}, pattern: `(?:sbp_[a-f0-9]{40,}|sb_secret_[A-Za-z0-9_-]{20,})`, why: "Supabase"},
		{id: "databricks-token", words: []string{"dapi"}, pattern: `dapi[a-f0-9]{32}(?:-[0-9])?`, why: "Databricks personal access tokens"},
		{id: "tailscale-key", words: []string{"tskey-"}, pattern: `tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}`, why: "Tailscale keys"},
		{id: "netlify-token", words: []string{"nfp_", "nfc_", "nfo_"}, pattern: `nf[pco]_[A-Za-z0-9]{32,}`, why: "Netlify"},
		{id: "vercel-token", words: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, pattern: `vc[piark]_[A-Za-z0-9]{24,}`, why: "Vercel token prefixes"},
		{id: "nats-seed", words: []string{"sua", "saa", "soa", "sna", "sca", "sxa"}, pattern: `S[UAONCX]A[A-Z2-7]{55}`, why: "nkeys seeds: the prefix's spare bits make the third letter an A"},
		{id: "age-key", words: []string{"age-secret-key-1"}, pattern: `(?i:AGE-SECRET-KEY-1)[A-Za-z0-9]{40,}`, why: "age-encryption.org/v1, Bech32"},
		{id: "jwt", words: []string{"eyj"}, pattern: `eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})`, why: "RFC 7519; the second form is JWE, RFC 7516"},
	}
}

// forgeRules: source hosting, packages, builds.
func forgeRules() []rule {
	return []rule{
		{id: "github-token", words: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, pattern: `gh[pousr]_[A-Za-z0-9]{30,}`, why: "GitHub token formats, 2021"},
		{id: "github-pat", words: []string{"github_pat_"}, pattern: `github_pat_[A-Za-z0-9_]{30,}`, why: "GitHub fine-grained tokens"},
		{id: "gitlab-token", words: []string{"glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "gloas-", "glffct-", "glwt-"}, pattern: `gl[a-z]{2,5}-[A-Za-z0-9_.-]{20,}`, mixed: true, why: "GitLab token overview"},
		{id: "gitlab-runner-token", words: []string{"gr1348941"}, pattern: `GR1348941[A-Za-z0-9_-]{20,}`, why: "GitLab runner registration"},
		{id: "bitbucket-token", words: []string{"atbb"}, pattern: `ATBB[A-Za-z0-9]{28,}`, why: "Bitbucket app passwords"},
		{id: "npm-token", words: []string{"npm_"}, pattern: `npm_[A-Za-z0-9]{36,}`, why: "npm granular tokens"},
		{id: "pypi-token", words: []string{"pypi-"}, pattern: `pypi-[A-Za-z0-9_-]{32,}`, mixed: true, cased: true, why: "PyPI macaroons"},
		{id: "rubygems-key", words: []string{"rubygems_"}, pattern: `rubygems_[a-f0-9]{40,}`, why: "RubyGems.org"},
		{id: "crates-token", words: []string{"cio"}, pattern: `cio[A-Za-z0-9]{32}`, mixed: true, cased: true, why: "crates.io"},
		{id: "nuget-key", words: []string{"oy2"}, pattern: `oy2[a-z0-9]{43}`, why: "nuget.org"},
		{id: "clojars-token", words: []string{"clojars_"}, pattern: `CLOJARS_[a-z0-9]{60}`, why: "Clojars"},
		{id: "dockerhub-token", words: []string{"dckr_"}, pattern: `dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`, why: "Docker Hub"},
		{id: "jfrog-key", words: []string{"akcp"}, pattern: `AKCp[A-Za-z0-9]{60,}`, why: "JFrog Artifactory"},
		{id: "jfrog-reference-token", words: []string{"cmvmdgtu"}, pattern: `cmVmdGtu[A-Za-z0-9]{50,}`, why: "JFrog reference tokens"},
		{id: "sourcegraph-token", words: []string{"sgp_", "slk_"}, pattern: `(?:sgp_(?:[A-Za-z0-9]{16}_|local_)?|slk_)[a-f0-9]{40,}`, why: "Sourcegraph"},
		{id: "buildkite-token", words: []string{"bkua_", "bkct_"}, pattern: `bk(?:ua|ct)_[A-Za-z0-9]{30,}`, why: "Buildkite"},
		{id: "circleci-token", words: []string{"ccipat_", "ccipro_", "cciprj_"}, pattern: `CCI(?:PAT|PRO|PRJ)_[A-Za-z0-9]+_[a-f0-9]{40}`, why: "CircleCI"},
		{id: "prefect-key", words: []string{"pnu_"}, pattern: `pnu_[A-Za-z0-9]{36}`, why: "Prefect"},
		{id: "scalingo-token", words: []string{"tk-us-"}, pattern: `tk-us-[A-Za-z0-9_-]{48}`, why: "Scalingo"},
	}
}

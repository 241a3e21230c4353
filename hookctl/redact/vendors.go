package redact

// modelRules: model providers.
func modelRules() []rule {
	return []rule{
		{id: "anthropic-key", words: []string{"sk-ant-"}, pattern: `sk-ant-[A-Za-z0-9_-]{4,}`, why: "Anthropic API, admin and OAuth keys: sk-ant-api03-, sk-ant-oat01-, sk-ant-admin01-"},
		{id: "openai-key", words: []string{"sk-"}, pattern: `sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}`, mixed: true, cased: true, flat: true, unless: "sk-ant-", why: "OpenAI and compatible services (some in lower case only); sk-ssh-ed25519 is a public key's type"},
		{id: "openrouter-key", words: []string{"sk-or-v1-"}, pattern: `sk-or-v1-[a-f0-9]{32,}`, why: "OpenRouter"},
		{id: "huggingface-token", words: []string{"hf_", "api_org_"}, pattern: `(?:hf_|api_org_)[A-Za-z0-9]{30,}`, why: "Hugging Face"},
		{id: "groq-key", words: []string{"gsk_"}, pattern: `gsk_[A-Za-z0-9]{40,}`, why: "Groq"},
		{id: "xai-key", words: []string{"xai-"}, pattern: `xai-[A-Za-z0-9]{60,}`, why: "xAI"},
		{id: "perplexity-key", words: []string{"pplx-"}, pattern: `pplx-[A-Za-z0-9]{40,}`, why: "Perplexity"},
		{id: "replicate-token", words: []string{"r8_"}, pattern: `r8_[A-Za-z0-9]{36,}`, why: "Replicate"},
		{id: "langsmith-key", words: []string{"lsv2_"}, pattern: `lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`, why: "LangSmith"},
		{id: "pinecone-key", words: []string{"pcsk_"}, pattern: `pcsk_[A-Za-z0-9_]{40,}`, why: "Pinecone"},
		{id: "tavily-key", words: []string{"tvly-"}, pattern: `tvly-[A-Za-z0-9_-]{24,}`, mixed: true, why: "Tavily"},
		{id: "firecrawl-key", words: []string{"fc-"}, pattern: `fc-[a-f0-9]{32}`, why: "Firecrawl"},
	}
}

// serviceRules: messages, mail and payments.
func serviceRules() []rule {
	return []rule{
		{id: "slack-token", words: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.", "xoxc-", "xoxd-"}, pattern: `xox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9%-]{10,}`, mixed: true, why: "api.slack.com token types"},
		{id: "slack-app-token", kind: "slack-token", words: []string{"xapp-"}, pattern: `xapp-[0-9]-[A-Za-z0-9-]{10,}`, mixed: true, why: "Slack app-level tokens"},
		{id: "slack-webhook", words: []string{"hooks.slack.com/"}, pattern: `(?i:hooks\.slack\.com)/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})`, why: "Slack incoming webhooks"},
		{id: "discord-webhook", words: []string{"/api/webhooks/"}, pattern: `/api/webhooks/([0-9]{5,20}/[A-Za-z0-9_-]{20,})`, open: true, why: "Discord"},
		{id: "discord-token", words: []string{"discord", "bot "}, pattern: `[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{26,}`, near: 64, why: "Discord bot tokens: base64 of the user id, time, HMAC"},
		{id: "telegram-token", words: []string{":aa"}, head: `[0-9]{8,10}`, pattern: `:AA[A-Za-z0-9_-]{32,34}`, why: "Telegram bot API"},
		{id: "teams-webhook", words: []string{".webhook.office.com/webhookb2/"}, pattern: `\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})`, open: true, why: "Microsoft Teams"},
		{id: "sendgrid-key", words: []string{"sg."}, pattern: `SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,}`, why: "SendGrid"},
		{id: "twilio-key", words: []string{"twilio"}, pattern: `SK[a-f0-9]{32}`, near: 96, mixed: true, why: "Twilio API keys, too short a prefix to stand alone"},
		{id: "mailgun-key", words: []string{"key-"}, pattern: `key-[a-f0-9]{32}`, why: "Mailgun"},
		{id: "mailchimp-key", words: []string{"-us"}, head: `[a-f0-9]{32}`, pattern: `-us[0-9]{1,2}`, why: "Mailchimp: the data centre is the suffix"},
		{id: "brevo-key", words: []string{"xkeysib-", "xsmtpsib-"}, pattern: `x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}`, why: "Brevo"},
		{id: "resend-key", words: []string{"re_"}, pattern: `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}`, mixed: true, cased: true, why: "Resend"},
		{id: "postmark-token", words: []string{"x-postmark-server-token"}, pattern: `[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}`, near: 16, why: "Postmark: a UUID, known by its header only"},
		{id: "stripe-key", words: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_"}, pattern: `[rs]k_(?:live|test|prod)_[A-Za-z0-9_]{10,}`, why: "Stripe secret and restricted keys"},
		{id: "stripe-webhook-secret", words: []string{"whsec_"}, pattern: `whsec_[A-Za-z0-9+/=]{24,}`, open: true, why: "Stripe, Svix and Clerk endpoints"},
		{id: "square-token", words: []string{"sq0atp-", "sq0csp-", "sq0idp-", "eaaa"}, pattern: `(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{56,})`, why: "Square"},
		{id: "shopify-token", words: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, pattern: `shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}`, why: "Shopify"},
		{id: "paypal-token", words: []string{"access_token$"}, pattern: `access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}`, why: "PayPal Braintree"},
		{id: "facebook-token", words: []string{"eaac"}, pattern: `EAAC[A-Za-z0-9]{60,}`, mixed: true, cased: true, why: "Meta Graph API"},
		{id: "easypost-key", words: []string{"ezak", "eztk"}, pattern: `EZ[AT]K[A-Za-z0-9]{54}`, why: "EasyPost"},
		{id: "flutterwave-key", words: []string{"flwseck"}, pattern: `FLWSECK(?:_TEST)?-[A-Za-z0-9-]{12,}`, why: "Flutterwave"},
		{id: "razorpay-key", words: []string{"rzp_live_", "rzp_test_"}, pattern: `rzp_(?:live|test)_[A-Za-z0-9]{14,}`, why: "Razorpay"},
	}
}

// saasRules: trackers, monitoring, design, data.
func saasRules() []rule {
	return []rule{
		{id: "linear-key", words: []string{"lin_api_", "lin_oauth_"}, pattern: `lin_(?:api|oauth)_[A-Za-z0-9]{32,}`, why: "Linear"},
		{id: "notion-token", words: []string{"secret_", "ntn_"}, pattern: `(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})`, mixed: true, why: "Notion"},
		{id: "atlassian-token", words: []string{"atatt3", "atctt3", "atstt3"}, pattern: `AT[ACS]TT3[A-Za-z0-9_=-]{40,}`, open: true, why: "Atlassian Cloud"},
		{id: "figma-token", words: []string{"figd_", "figo_", "figu_"}, pattern: `fig[dou]_[A-Za-z0-9_-]{20,}`, why: "Figma"},
		{id: "airtable-token", words: []string{"airtable"}, pattern: `pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`, near: 64, why: "Airtable"},
		{id: "asana-token", words: []string{"asana"}, pattern: `[0-9]/[0-9]{10,20}(?:/[0-9]{10,20})?:[a-f0-9]{32}`, near: 64, why: "Asana"},
		{id: "postman-key", words: []string{"pmak-"}, pattern: `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`, why: "Postman"},
		{id: "contentful-token", words: []string{"cfpat-"}, pattern: `CFPAT-[A-Za-z0-9_-]{40,}`, why: "Contentful"},
		{id: "typeform-token", words: []string{"tfp_"}, pattern: `tfp_[A-Za-z0-9_.=-]{40,}`, open: true, why: "Typeform"},
		{id: "hubspot-token", words: []string{"pat-na1-", "pat-eu1-"}, pattern: `pat-(?:na|eu)1-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}`, why: "HubSpot private apps"},
		{id: "readme-key", words: []string{"rdme_"}, pattern: `rdme_[a-z0-9]{60,}`, why: "ReadMe"},
		{id: "duffel-token", words: []string{"duffel_"}, pattern: `duffel_(?:test|live)_[A-Za-z0-9_=-]{43}`, open: true, why: "Duffel"},
		{id: "mapbox-token", words: []string{"sk.eyj"}, pattern: `sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`, why: "Mapbox secret tokens; pk. ones are public"},
		{id: "grafana-token", words: []string{"glc_", "glsa_", "eyjrijoi"}, pattern: `(?:glc_[A-Za-z0-9+/=]{20,}|glsa_[A-Za-z0-9_]{30,}|eyJrIjoi[A-Za-z0-9+/=_-]{40,})`, open: true, why: "Grafana Cloud, service accounts, legacy keys"},
		{id: "newrelic-key", words: []string{"nrak-", "nrii-", "nrjs-", "nral-", "nrra-"}, pattern: `NR(?:AK|II|JS|AL|RA)-[A-Za-z0-9_-]{19,}`, why: "New Relic"},
		{id: "newrelic-license", kind: "newrelic-key", words: []string{"nral"}, head: `[a-f0-9]{36}`, pattern: `NRAL`, why: "New Relic license keys"},
		{id: "sentry-token", words: []string{"sntrys_", "sntryu_", "sntrya_", "sntryi_"}, pattern: `sntry[suai]_[A-Za-z0-9+/=_-]{40,}`, open: true, why: "Sentry"},
		{id: "datadog-key", words: []string{"dd_api_key", "dd_app_key", "dd-api-key", "dd-application-key"}, pattern: `[a-f0-9]{32}(?:[a-f0-9]{8})?`, near: 48, mixed: true, why: "Datadog: 32 or 40 hex, known by company only"},
		{id: "dynatrace-token", words: []string{"dt0"}, pattern: `dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}`, why: "Dynatrace"},
		{id: "honeycomb-key", words: []string{"hcaik_", "hcbik_", "hcxmk_"}, pattern: `hc[abx](?:ik|mk)_[a-z0-9]{40,}`, why: "Honeycomb"},
		{id: "posthog-key", words: []string{"phx_"}, pattern: `phx_[A-Za-z0-9_]{40,}`, why: "PostHog personal keys; phc_ ones are public"},
		{id: "pagerduty-key", words: []string{"pagerduty"}, pattern: `u\+[A-Za-z0-9_+-]{18}`, near: 64, why: "PagerDuty"},
		{id: "okta-token", words: []string{"okta", "ssws "}, pattern: `00[A-Za-z0-9_-]{40}`, near: 64, mixed: true, cased: true, why: "Okta"},
		{id: "harness-token", words: []string{"pat.", "sat."}, pattern: `[ps]at\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}`, why: "Harness"},
		{id: "adafruit-key", words: []string{"aio_"}, pattern: `aio_[A-Za-z0-9]{28}`, why: "Adafruit IO"},
		{id: "zapier-webhook", words: []string{"hooks.zapier.com/"}, pattern: `(?i:hooks\.zapier\.com)/hooks/catch/([0-9]+/[A-Za-z0-9]{5,})`, why: "Zapier"},
	}
}

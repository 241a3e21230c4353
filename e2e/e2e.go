// Package e2e runs the real Claude Code client, offline, against a scripted Messages API, and records every hook the
// client fires with a logger of its own, so that the recorder's log can be counted against what really happened.
//
// One run is three processes:
//
//	test ──Run──▶ inside (own network namespace: loopback and nothing else)
//	                ├─ API      the scripted model on 127.0.0.1; every request goes to requests.jsonl
//	                └─ client   the real binary with an empty environment, a made-up key and telemetry off;
//	                            with a key script it runs in a private tmux server
//	                              └─ hooks: hookctl, and beside it the logger (hooks.jsonl)
//
// "inside" and the logger are this same program started again: whoever calls Run or AddLogger hands its arguments to
// Role first. The network namespace is what makes the promise "offline" true, not a setting of the client.
package e2e

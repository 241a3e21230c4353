package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/projector/identity"
)

// identityCell is the key of the ended session's identity.
var identityCell = fmt.Sprintf("identity.v%d.%s", identity.Version, ended)

func TestBucketListsBuckets(t *testing.T) {
	recorded(t)
	out := told(t, "bucket")
	for _, want := range []string{
		`(?m)^BUCKET    KEYS  BYTES +REVISION  WRITTEN$`,
		`(?m)^snapshot  \d+ +[\d,]+ +\d+ +20\d\d-`,
		`(?m)^latest    \d+ +[\d,]+ +\d+ +20\d\d-`,
		`(?m)^cache     0 `,
		`(?m)^identity +` + fmt.Sprint(identity.Version) + ` +11 +0$`,
		`(?m)^the log is at sequence 11$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no line of `replay bucket` is like %s:\n%s", want, out)
		}
	}

	all := decoded[api.Buckets](t, "bucket", "--json")
	expect.Equal(t, all.Seq, uint64(11), "sequence of the log")
	expect.Equal(t, len(all.Buckets), 3, "buckets")
	expect.Equal(t, len(all.Projections), len(projections()), "projections")
}

func TestBucketListsKeys(t *testing.T) {
	recorded(t)
	got := decoded[bucketJSON](t, "bucket", "snapshot", "--json")
	expect.Equal(t, got.Bucket, "snapshot", "bucket")
	var cell api.BucketCell
	for _, c := range got.Cells {
		if c.Key == identityCell {
			cell = c
		}
	}
	expect.Equal(t, cell.Projection, "identity", "projection of", identityCell)
	expect.Equal(t, cell.Version, identity.Version, "version of", identityCell)
	expect.Equal(t, cell.Seq, uint64(8), "sequence of", identityCell)
	expect.Equal(t, cell.Position, uint64(11), "position of", identityCell)
	if cell.Revision == 0 || cell.Bytes < 100 || cell.Time.IsZero() || cell.Value != nil {
		t.Errorf("revision, size, time and value of %s: %d, %d, %s, %.20s", identityCell, cell.Revision, cell.Bytes, cell.Time, cell.Value)
	}

	out := told(t, "bucket", "snapshot")
	if !regexp.MustCompile(`(?m)^\d+ +[\d,]+ +identity v\d+ +8 +11 +20.* ` + regexp.QuoteMeta(identityCell) + `$`).MatchString(out) {
		t.Errorf("no line has the identity's facts:\n%s", out)
	}
	expect.Equal(t, told(t, "bucket", "cache"), "no keys: the cache is in the daemon's memory, and filled for live sessions\n", "cache without a daemon")
}

// A key may be named by a part that no other has.
func TestBucketShowsAValue(t *testing.T) {
	recorded(t)
	holds(t, told(t, "bucket", "snapshot", "identity.v"+fmt.Sprint(identity.Version)+".5f1d0c2e"),
		"snapshot  "+identityCell+"\n", "\nsequence    8\n", "\nfolded      up to 11\n", "\n    \"last_ic\": 0.9614,\n")

	cell := decoded[api.BucketCell](t, "bucket", "snapshot", identityCell, "--json")
	var value struct {
		Seq   uint64
		State identity.State
	}
	expect.OK(t, json.Unmarshal(cell.Value, &value))
	expect.Equal(t, value.Seq, uint64(8), "sequence in the value")
	expect.Equal(t, value.State.SessionID, ended, "session in the value")
}

func TestBucketErrors(t *testing.T) {
	recorded(t)
	many := refused(t, "bucket", "snapshot", "5f1d0c2e")
	if !regexp.MustCompile(`^replay: error: \d+ keys of bucket snapshot have "5f1d0c2e" in them\nreplay: hint: one of: .*` + identityCell).MatchString(many) {
		t.Errorf("a part of several keys: %s", many)
	}
	for args, want := range map[string]string{
		"bucket snapshots":             "no bucket is called \"snapshots\"\nreplay: hint: did you mean snapshot?\n",
		"bucket doors":                 "no bucket is called \"doors\"\nreplay: hint: buckets: snapshot, latest, cache\n",
		"bucket cache brief.none":      "bucket cache has no key \"brief.none\"\nreplay: hint: `replay bucket cache` lists what it has: 0 in all\n",
		"bucket snapshot a b":          "unexpected argument \"b\"",
		"bucket --watch":               "no daemon is running\nreplay: hint: `hookctl start` starts one\n",
		"bucket latest --watch --json": "no daemon is running\nreplay: hint: `hookctl start` starts one\n",
	} {
		got := refused(t, strings.Fields(args)...)
		if !strings.HasPrefix(got, "replay: error: "+want) {
			t.Errorf("replay %s: %s, want %s", args, got, want)
		}
	}
}

func TestBucketWatchWords(t *testing.T) {
	newHome(t)
	h := &canned{lines: []string{
		`{"bucket":"snapshot","key":"session.v3.one","revision":1007,"bytes":2048,"seq":12,"position":12,"time":"2026-11-21T12:00:00Z"}`,
		`{"bucket":"latest","key":"identity.p","revision":4,"bytes":10,"position":12,"deleted":true}`,
	}}
	r := newRun().on(h).do(t, 1, "bucket", "--watch")
	expect.Equal(t, r.stdout.String(), "snapshot  session.v3.one  revision 1,007, 2,048 bytes, sequence 12\nlatest    identity.p  deleted\n", "stdout")
	expect.Equal(t, r.stderr.String(), "replay: error: the daemon ended\nreplay: hint: `hookctl start` starts it again, and so does the next hook\n", "stderr")
	expect.Equal(t, strings.Join(h.asked, "\n"), "GET /v1/buckets/cells?watch=1", "requests")
}

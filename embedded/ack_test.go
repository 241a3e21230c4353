package embedded

import (
	"errors"
	"testing"
)

func TestParseAck(t *testing.T) {
	for text, want := range map[string]pubAck{
		`{"stream":"EVENTS","seq":17}`:                       {Seq: 17},
		`{"stream":"EVENTS","seq":18446744073709551615}`:     {Seq: 1<<64 - 1},
		`{"stream":"EVENTS","seq":17,"duplicate": true}`:     {Seq: 17, Duplicate: true},
		`{"stream":"EVENTS","seq":17,"batch":"b","count":3}`: {Seq: 17, Count: 3},
		`{"stream":"EVENTS","domain":"hub","seq":17}`:        {Seq: 17},
		`{ "seq" : 17 , "stream" : "EVENTS" }`:               {Seq: 17},
		`{"stream":"EVENTS","seq":17}` + "\n":                {Seq: 17},
	} {
		if got, err := parseAck([]byte(text)); got != want || err != nil {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{``, `{}`, `PONG`, `{"stream":"EVENTS","seq":}`, `{"stream":"EVENTS","seq":0}`, `{"stream":"EVENTS","seq":-1}`,
		`{"stream":"EVENTS","seq":1_7}`, `{"stream":"EVENTS","seq":18446744073709551616}`, `{"stream":"EVENTS","seq":17`} {
		if got, err := parseAck([]byte(text)); !errors.Is(err, errNoAnswer) {
			t.Errorf("%q is %+v, %v; want no acknowledgement", text, got, err)
		}
	}
	refused, err := parseAck([]byte(`{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"EVENTS","seq":0}`))
	if err != nil || refused.Error == nil || refused.Error.ErrorCode != 10077 {
		t.Errorf("a refusal is %+v, %v", refused, err)
	}
}

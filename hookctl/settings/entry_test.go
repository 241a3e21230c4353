package settings

import (
	"testing"

	"hookline/expect"
)

func TestWhatIsOurs(t *testing.T) {
	cases := []struct {
		handler string
		want    bool
	}{
		{`{"type":"command","command":"/a/hookctl","args":["hook","Stop"]}`, true},
		{`{"type":"command","command":"C:\\x y\\hookctl.exe","args":["consciousness","brief"]}`, true},
		{`{"type":"command","command":"hookctl","args":["session","persist-identity"]}`, true},
		{`{"type":"command","command":"hookctl hook Stop"}`, true},
		{`{"type":"command","command":"  '/a b/hookctl'  hook Stop 2>/dev/null"}`, true},
		{`{"type":"command","command":"/a\\ b/hookctl hook Stop"}`, true},
		{`{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/bin/hookctl hook Stop"}`, true},
		{`{"type":"command","command":"hookctl","args":["statusline"]}`, false},
		{`{"type":"command","command":"echo hookctl hook Stop"}`, false},
		{`{"type":"prompt","command":"hookctl hook Stop"}`, false},
		{`{"type":"command","command":7}`, false},
		{`"hookctl hook Stop"`, false},
	}
	for _, c := range cases {
		h := expect.Value(parseValue([]byte(c.handler)))(t)
		_, ours := asEntry("Stop", h, h)
		expect.Equal(t, ours, c.want, c.handler)
	}
}

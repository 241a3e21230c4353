package cmdline

import (
	"bytes"
	"strings"
	"testing"

	"hookline/expect"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb  c ":              "a b c",
		"\x1b[31mred\x1b[0m":      "[31mred[0m",
		"x\u009b31m\u202egnp.exe": "x31mgnp.exe",
		"bad \xff byte":           "bad \uFFFD byte",
		"":                        "",
	} {
		expect.Equal(t, OneLine(in), want, "OneLine", in)
	}
	if got := OneLine(strings.Repeat("é", 3000)); got != strings.Repeat("é", 2048) {
		t.Errorf("%d bytes of a long line", len(got))
	}
}

func TestFitAndPad(t *testing.T) {
	for _, tc := range []struct {
		in   string
		n    int
		want string
	}{
		{"hello", 5, "hello"}, {"hello", 4, "hel…"}, {"hello", 0, "hello"}, {"日本語", 4, "日…"}, {"e\u0301a\u0301i", 2, "e\u0301…"},
	} {
		expect.Equal(t, Fit(tc.in, tc.n), tc.want, "Fit", tc.in, tc.n)
	}
	for in, want := range map[string]string{"日本": "日本 ", "abcdef": "abcdef"} {
		expect.Equal(t, Pad(in, 5), want, "Pad", in)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[uint64]string{999: "999", 1234567: "1,234,567"} {
		expect.Equal(t, Count(n), want, "Count", n)
	}
	for n, want := range map[int]string{1: "1 secret", 2000: "2,000 secrets"} {
		expect.Equal(t, Plural(n, "secret"), want, "Plural", n)
	}
	for n, want := range map[uint64]string{1023: "1023 B", 1536: "1.5 KiB", 20 << 30: "20.0 GiB"} {
		expect.Equal(t, Bytes(n), want, "Bytes", n)
	}
}

func TestIndentJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"b":["x"]}`:                "{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ]\n}",
		"{\"a\":\"\U000e0041\"}":           "{\n  \"a\": \"\\udb40\\udc41\"\n}",
		"{\"a\":\"\u009b31m\u202egnp\"}":   "{\n  \"a\": \"\\u009b31m\\u202egnp\"\n}",
		"not\n JSON \x1b[31mat all":        "not JSON [31mat all",
		"{\"tail\":\"is cut of\x1b[0m\n\n": "{\"tail\":\"is cut of[0m",
	} {
		expect.Equal(t, IndentJSON([]byte(in)), want, "IndentJSON", in)
	}
}

func TestPalette(t *testing.T) {
	on := Palette{On: true}
	for got, want := range map[string]string{
		on.Good("x"):                  "\x1b[32mx\x1b[0m",
		on.Bold("x"):                  "\x1b[1mx\x1b[22m",
		on.Session("c68c8a51"):        "\x1b[33mc68c8a51\x1b[0m",
		on.Toned("faint", "x"):        "\x1b[2mx\x1b[22m",
		on.Bad(""):                    "",
		on.Toned("plain", "x"):        "x",
		(Palette{}).Toned("bad", "x"): "x",
		on.Bad("a\x1b[1mb") + Link("file:///x", "y") + "\x1b]0;z\a\u202e\n\tend": "\x1b[31ma[1mb\x1b[0m\x1b]8;;file:///x\x1b\\y\x1b]8;;\x1b\\]0;z\n\tend", // what others painted
	} {
		expect.Equal(t, Show(got), want)
	}
}

// printed is what a table of these rows prints.
func printed(paint Palette, t Table) string {
	var out bytes.Buffer
	t.console = &Console{Out: &out, Paint: paint}
	t.Print()
	return out.String()
}

// A table that is too wide loses the columns that may go, then the middle of the widest one.
func TestTableFits(t *testing.T) {
	table := Table{Head: []string{"ID", "PATH", "N"}, Rows: [][]string{{"a", "/home/dev/projects", "12"}}, Drop: []string{"N"}}
	for columns, want := range map[int]string{
		0:  "ID  PATH                N\na   /home/dev/projects  12\n",
		26: "ID  PATH                N\na   /home/dev/projects  12\n",
		25: "ID  PATH\na   /home/dev/projects\n",
		16: "ID  PATH\na   /home…ojects\n",
		3:  "ID  PATH\na   /ho…ects\n",
	} {
		narrow := table
		narrow.Rows, narrow.Columns = [][]string{table.Rows[0]}, columns
		expect.Equal(t, printed(Palette{}, narrow), want, columns, "columns")
	}
}

func TestTable(t *testing.T) {
	table := (&Console{}).Table("NAME", "N", "NOTE")
	table.Row("日本", "1,000", "")
	table.Row("a", "1", "last,\x1b not\npadded")
	expect.Equal(t, printed(Palette{}, *table), "NAME  N      NOTE\n日本  1,000\na     1      last, not padded\n")
	table.Color = func(head, s string) string {
		if head == "N" {
			return Palette{On: true}.Good(s)
		}
		return s
	}
	expect.Equal(t, printed(Palette{On: true}, *table),
		"\x1b[2mNAME  \x1b[22m\x1b[2mN      \x1b[22m\x1b[2mNOTE\x1b[22m\n日本  \x1b[32m1,000  \x1b[0m\na     \x1b[32m1      \x1b[0mlast, not padded\n")
	// What is wider than the others is cut until the table fits, two wide columns alike; below a wide head there is nothing to cut.
	wide := Table{Head: []string{"", "A", "B"}, Columns: 32, Rows: [][]string{{"goal", strings.Repeat("a", 30), strings.Repeat("b", 60)}, {"n", "1", "2"}}}
	expect.Equal(t, printed(Palette{}, wide), "      A             B\ngoal  aaaaa…aaaaaa  bbbbb…bbbbbb\nn     1             2\n")
	expect.Equal(t, printed(Palette{}, Table{Head: []string{"", ""}, Rows: [][]string{{"a", "b"}}}), "a  b\n")
}

// A line of a terminal is wrapped below its last column that begins in the left half; colours take no room.
func TestWrap(t *testing.T) {
	const faint, off = esc + "[2m", esc + "[22m"
	for in, want := range map[string]string{
		"short\n": "short\n",
		"one two three four five six seven eight nine ten\n":         "one two three four five six\nseven eight nine ten\n",
		"  key  one two three four five six seven\n\nend":            "  key  one two three four\n       five six seven\n\nend",
		faint + "key" + off + "  " + "one two three four five\n":     faint + "key" + off + "  one two three four five\n",
		faint + "key" + off + "  " + "one two three four five six\n": faint + "key" + off + "  one two three four five\n     six\n",
		"/a/path/that/is/wider/than/the/terminal":                    "/a/path/that/is/wider/than/the/terminal",
	} {
		expect.Equal(t, Wrap(in, 28), want)
		expect.Equal(t, Wrap(in, 0), in, "without a terminal")
	}
}

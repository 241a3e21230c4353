package codes

import (
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// Functions are found in whole files and in pieces of them, in the languages that agents write most.
func TestFunctions(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.go", "// func No() {}\nfunc (c *Client) Send(x int) error {\n\treturn c.do(x)\n}\nfunc Load[T any](p string) {}", "Client.Send Load"},
		{"a.go", "func (List[T]) Push(v T) {}\nvar f = func(a int) error { return nil }\nx := `func No() {}`", "List.Push"},
		{"a.go", "\tif err != nil {\n\t\treturn err\n\t}\n}\n\nfunc main() {", "main"},
		{"a.py", "class A:\n    def run(self):\n        '''def no(): pass'''\n        return call(1)\n\nasync def go():\n  pass  # def no()", "run go"},
		{"a.py", "@wraps(fn)\ndef outer(x):\n    def inner(): return x\n", "outer inner"},
		{"a.py", "defined = default(1)", ""},
		{"a.rs", "impl A {\n  pub fn run(&self) -> u8 { call(1) }\n}\nfn free<'a, T>(x: &'a T) {}\npub(crate) async fn go() {}", "run free go"},
		{"a.rs", "let f = |x| x + 1; // fn no()\nmacro_rules! m { () => {} }", ""},
		{"a.java", "class A { public static void main(String[] a) throws IOException { call(1); } private int size() { return 1; } }", "main size"},
		{"a.java", "@Test(timeout = 1) public void works() { if (x) { } while (y) { } new Thread() { public void run() {} }; }", "works run"},
		{"a.java", "abstract int no(); String s = \"int no() {\";", ""},
		{"a.rb", "class A\n  def run(x)\n    call(1) { |y| y }\n  end\n  def self.make; end\n  def ok?; end\nend", "run make ok"},
		{"a.ts", "export function run(a: number): string { return call(1) }\nconst go = async (x: T): Promise<void> => { };", "run go"},
		{"a.ts", "class A { constructor(x) { } private async load(id: string): Promise<void> { if (x) {} for (;;) {} } get size() { return 1 } }", "load size"},
		{"a.ts", "describe('x', () => { it('y', async () => { expect(1) }) })\nconst n = (a + b) * 2\nimport { no } from 'x'", ""},
		{"a.tsx", "export const App = () => <div/>;\nexport default function useX() {}", "App useX"},
		{"a.js", "function* gen() {}\nmodule.exports = { load(x) { }, save: function () {} }\nlet f = x => 1", "gen load f"},
		{"a.js", "switch (x) { case 1: y(); }\nreturn call(1)\n`function no() {}`", ""},
		{"a.cs", "class A { public async Task<int> Run(string a) { Call(); return 1; } int Size() => 1; }", "Run Size"},
		{"a.cs", "using (x) { } lock (y) { } foreach (var z in w) { } items.Select(a => a.B);", ""},
		{"a.ex", "defmodule A do\n  def run(x) do\n    call(1)\n  end\n  defp go, do: 1\nend", "run go"},
		{"a.c", "static int run(int a) {\n  return call(1);\n}\nvoid no(void);\nstruct s { int x; };", "run"},
		{"a.cpp", "int A::run(int a) const { return call(1); }\ntemplate <class T> void go() {}", "run go"},
		{"a.php", "<?php function run($a) { call(); } class A { public function go() {} } $f = fn($x) => $x;", "run go"},
		{"a.kt", "fun run(a: Int): Int { return call(1) }\nprivate fun <T> go() = 1\nfun String.ext() {}", "run go ext"},
		{"a.swift", "func run(a: Int) -> Int { return call(1) }\nclass A { func go() {} }", "run go"},
		{"a.scala", "def run(a: Int): Int = call(1)\nobject A { private def go() = 1 }", "run go"},
		{"a.lua", "function run(a) call(1) end\nlocal function go() end\nfunction M.x() end\nfunction M:y() end -- function no()", "run go x y"},
		{"a.sh", "run() {\n  call 1\n}\nfunction go {\n :\n}\nif true; then x; fi # no() {", "run go"},
		{"a.ts", "class A {\n  static make<T extends object>(init: Partial<T>): A { return new A(init) }\n}\nconst go: React.FC<P> = ({ x }) => { }\nconst no: number = (1)", "make go"},
		{"a.js", "module.exports = function make (o) { return { start, async run (x) { } } }\nclass A { static async *gen() { } }", "make run gen"},
		{"a.cs", "private T Map<T>(object o) where T : new() { return default; }", "Map"},
		{"a.cpp", "auto A<T>::bar(const T& x) const -> decltype(x) { return x; }\nA::A(int x) : x_(x), y_(1) { }\nA::~A() { }", "bar A"},
		{"a.kt", "override suspend fun <T : Any> List<T>.first(d: () -> T): T = x", "first"},
		{"a.rs", "pub const fn new() -> Self { Self { x: 1 } }\nasync fn serve<S>(s: S) where S: Svc {}", "new serve"},
		{"a.md", "func No() {}", ""},
		{"a.go", "", ""},
		{"a.go", "func (", ""},
		{"a.js", "const x = (", ""},
		{"a.kt", "fun <", ""},
	} {
		expect.Equal(t, strings.Join(Functions(c.file, c.text), " "), c.want, c.file, c.text)
	}
}

func FuzzFunctions(f *testing.F) {
	for _, l := range languages {
		f.Add("a"+strings.Fields(l.ends)[0], "func (a *B) c() { \"x\" /* y */ 'z' `w`")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		names := Functions(file, text)
		if slices.Contains(names, "") {
			t.Errorf("%q", names)
		}
	})
}

// A change of 2 KB; goal: at most 50 µs, since the answer to a hook waits for it.
func BenchmarkFunctions(b *testing.B) {
	text := strings.Repeat("func (c *Client) Send(x int) error {\n\treturn c.do(x, \"text\") // says what\n}\n\n", 26)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Functions("a.go", text)
	}
}

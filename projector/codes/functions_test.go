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
		{"a.go", "func (List[T]) Push(v T) {}\nvar f = func(a int) error { return nil }\n\tif err != nil {", "List.Push"},
		{"a.py", "class A:\n    def run(self):\n        return call(1)\n\nasync def go():\n  pass\n  # def no()\ndefined = default(1)", "run go"},
		{"a.rs", "impl A {\n  pub fn run(&self) -> u8 { call(1) }\n}\nfn free<'a, T>(x: &'a T) {}\nlet f = |x| x + 1;", "run free"},
		{"a.java", "class A {\n  public static void main(String[] a) throws IOException {\n    call(1);\n    if (x(1)) {\n  private int size()\n  {", "main size"},
		{"a.rb", "class A\n  def run(x)\n    call(1) { |y| y }\n  end\n  def self.make; end\n  def ok?; end\nend", "run make ok"},
		{"a.ts", "export function run(a: number): string { return call(1) }\nconst go = async (x: T): Promise<void> => { };\n  static make<T extends object>(init: Partial<T>): A {\n  constructor(x) {", "run go make"},
		{"a.ts", "describe('x', () => {\n  it('y', async () => {\nconst n = (a + b) * 2\nimport { no } from 'x'\n} else if (x) {\napp.get('/', (a) => {", ""},
		{"a.tsx", "export const App = () => <div/>;\nexport default function useX() {}\nconst go: React.FC<P> = ({ x }) => { }", "App useX go"},
		{"a.js", "function* gen() {}\nlet f = x => 1\n  async load(id) {\n    return call(1)", "gen f load"},
		{"a.cs", "  public async Task<int> Run(string a)\n  {\n  int Size() => 1;\n  foreach (var z in w)\n  {\n  items.Select(a => a.B);", "Run Size"},
		{"a.ex", "defmodule A do\n  def run(x) do\n    call(1)\n  end\n  defp go, do: 1\nend", "run go"},
		{"a.c", "static int run(int a) {\n  return call(1);\n}\nvoid no(void);\nstruct s { int x; };", "run"},
		{"a.cpp", "int A::run(int a) const { return call(1); }\ntemplate <class T> void go() {}", "run go"},
		{"a.php", "<?php function run($a) { call(); }\n$f = fn($x) => $x;", "run"},
		{"a.kt", "fun run(a: Int): Int { return call(1) }\nprivate fun <T> go() = 1\nfun String.ext() {}", "run go ext"},
		{"a.swift", "func run(a: Int) -> Int { return call(1) }", "run"},
		{"a.scala", "def run(a: Int): Int = call(1)", "run"},
		{"a.lua", "function run(a) call(1) end\nlocal function go() end\nfunction M.x() end\nfunction M:y() end -- function no()", "run go x y"},
		{"a.sh", "run() {\n  call 1\n}\nfunction go {\n :\n}\nif true; then x; fi", "run go"},
		{"a.md", "func No() {}", ""},
		{"a.go", "func (", ""},
	} {
		expect.Equal(t, strings.Join(Functions(c.file, c.text), " "), c.want, c.file, c.text)
	}
}

func FuzzFunctions(f *testing.F) {
	for _, ext := range append(worded, braced...) {
		f.Add("a"+ext, "func (a *B) c() { \"x\" /* y */ 'z' `w`")
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

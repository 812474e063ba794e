"""Programs in each language: one that prints 42, one of which line 2 is wrong, one of several files."""

HELLO = {
    "bash": "echo $((6 * 7))",
    "python": "print(6 * 7)",
    "c": '#include <stdio.h>\nint main(void) { printf("%d\\n", 6 * 7); return 0; }',
    "go": "package main\nfunc main() { println(6 * 7) }",
    "java": "class Six { public static void main(String[] a) { System.out.println(6 * 7); } }",
    "javascript": "console.log(6 * 7)",
    "cpp": '#include <iostream>\nint main() { std::cout << 6 * 7 << "\\n"; }',
    "typescript": "enum Six { Seven = 7 }\nconst made: number = 6 * Six.Seven\nconsole.log(made)",
    "rust": 'fn main() { let unused = 1; println!("{}", 6 * 7); }',
    "sql": "select 6 * 7;",
    "php": "<?php echo 6 * 7;",
    "ruby": "puts 6 * 7",
    "r": "cat(6 * 7)",
    "lua": "print(6 * 7)",
    "perl": "print 6 * 7;",
    "awk": "BEGIN { print 6 * 7 }",
    "fish": "math 6 x 7",
    "ocaml": "let () = print_int (6 * 7)",
    "elixir": "IO.puts(6 * 7)",
    "fortran": "program six\n  write (*, '(i0)') 6 * 7\nend program",
    "lisp": "(princ (* 6 7))",
    "scheme": "(display (* 6 7))",
    "kotlin": "fun main() { println(6 * 7) }",
    "scala": "object Six extends App { println(6 * 7) }",
    "csharp": "class Six { static void Main() { System.Console.WriteLine(6 * 7); } }",
}
WRONG = {
    "bash": ("x.sh", "touch ran\nif true; then\n"),
    "python": ("x.py", "open('ran', 'w')\ndef f(:\n"),
    "c": ("x.c", "int main(void) {\n  return 0\n}"),
    "go": ("x.go", "package main\nfunc main() { x := }"),
    "java": ("X.java", "public class X {\n  static void main(String[] a) { int x = }\n}"),
    "javascript": ("x.js", "require('fs').writeFileSync('ran', '')\nlet x = ;"),
    "cpp": ("x.cpp", "int main() {\n  return 0\n}"),
    "typescript": ("x.ts", "require('fs').writeFileSync('ran', '')\nlet x: number = ;"),
    "rust": ("x.rs", "fn main() {\n  let x = ;\n}"),
    "php": ("x.php", "<?php touch('ran');\necho 1 +;"),
    "ruby": ("x.rb", "File.write('ran', '')\nx = = 1"),
    "r": ("x.R", "file.create('ran')\ny <- <- 2"),
    "lua": ("x.lua", "io.open('ran', 'w')\nlocal y = = 2"),
    "perl": ("x.pl", "open my $f, '>', 'ran';\nmy $x = ;"),
    "awk": ("x.awk", 'BEGIN { print > "ran" }\nBEGIN { print ( }'),
    "fish": ("x.fish", "touch ran\nif true"),
    "ocaml": ("x.ml", 'let () = close_out (open_out "ran")\nlet x = in'),
    "elixir": ("x.exs", 'File.write("ran", "")\nx = = 2'),
    "fortran": ("x.f90", "program x\n  y = = 1\nend program"),
    "kotlin": ("x.kt", "fun main() {\n  val x = \n}"),
    "csharp": ("x.cs", "class X {\n  static void Main() { int x = ; }\n}"),
}

PARTS = {
    "c": [
        ("util.h", "int six(void);"),
        ("util.c", '#include "util.h"\nint six(void) { return 6; }'),
        ("main.c", '#include <stdio.h>\n#include "util.h"\nint main(void) { printf("%d", six() * 7); }'),
    ],
    "cpp": [
        ("include/util.hpp", "int six();"),
        ("lib/util.cpp", '#include "util.hpp"\nint six() { return 6; }'),
        ("main.cpp", '#include <iostream>\n#include "util.hpp"\nint main() { std::cout << six() * 7; }'),
    ],
    "go": [
        ("app/go.mod", "module example.com/app\n\ngo 1.16"),
        ("app/near/near.go", "package near\n\nconst Seven = 7"),
        ("app/six.go", "package main\n\nfunc six() int { return 6 }"),
        ("app/six_test.go", 'package main\n\nimport "testing"\n\nfunc TestSix(t *testing.T) { _ = six() }'),
        (
            "app/main.go",
            'package main\n\nimport "example.com/app/near"\n\nfunc main() { println(six() * near.Seven) }',
        ),
    ],
    "java": [
        ("app/one/two/Parts.java", "package one.two;\nclass Six { static int x = 6; }\nclass Other {}"),
        ("app/one/Seven.java", "package one;\npublic class Seven { public static int x = 7; }"),
        (
            "app/one/two/Main.java",
            "package one.two;\nimport one.Seven;\npublic class Main {\n"
            "  public static void main(String[] a) { System.out.print(Six.x * Seven.x); }\n}",
        ),
    ],
    "rust": [
        ("src/six.rs", "use crate::SEVEN;\npub fn made() -> i32 { 6 * SEVEN }"),
        ("src/main.rs", 'mod six;\nconst SEVEN: i32 = 7;\nfn main() { print!("{}", six::made()); }'),
    ],
    "typescript": [
        ("six.ts", "export const six: number = 6"),
        ("main.ts", 'import { six } from "./six.js"\nconsole.log(six * 7)'),
    ],
    "csharp": [
        ("Six.cs", "class Six { public static int X = 6; }"),
        ("Main.cs", "class P { static void Main() { System.Console.Write(Six.X * 7); } }"),
    ],
    "fortran": [
        ("six.f90", "module six\n  integer :: x = 6\nend module"),
        ("main.f90", "program main\n  use six\n  write (*, '(i0)') x * 7\nend program"),
    ],
    "lua": [("six.lua", "return 6"), ("main.lua", 'print(require("six") * 7)')],
    "ruby": [("six.rb", "SIX = 6"), ("main.rb", 'require_relative "six"\nprint SIX * 7')],
    "perl": [("Six.pm", "package Six; sub x { 6 } 1;"), ("main.pl", "use Six; print Six::x() * 7;")],
    "php": [("six.php", "<?php const SIX = 6;"), ("main.php", "<?php require 'six.php'; echo SIX * 7;")],
}
"""Programs of several files that print 42; the last one holds what is started."""

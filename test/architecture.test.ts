import { describe, expect, it } from "vitest";
import { exceptions } from "./support/sources/import-exceptions.ts";
import { walls } from "./support/sources/import-rules.ts";
import { circlesIn, codeOf, importsIn } from "./support/sources/imports.ts";
import { crowdedFolders, readTree, type Tree } from "./support/sources/tree.ts";
import {
  breachesIn,
  foldersWithoutRow,
  rowsWithoutFolder,
  staleExceptions,
  type Walls,
} from "./support/sources/walls.ts";

const tree = readTree(["bin", "src", "server", "mcp"], [".ts", ".tsx"]);
const tests = readTree(["test"], [".ts", ".tsx"]);
const imports = importsIn(tree);
const filesInFolder = 20;

describe("who imports whom", () => {
  it("has a row for every folder, and no row without a folder", () => {
    expect(foldersWithoutRow(imports, walls)).toEqual([]);
    expect(rowsWithoutFolder(imports, walls)).toEqual([]);
  });

  it("is what each folder may import", () => {
    expect(breachesIn(imports, walls, exceptions)).toEqual([]);
  });

  it("has no exception that nothing needs: take it out of import-exceptions.ts", () => {
    expect(staleExceptions(imports, walls, exceptions)).toEqual([]);
  });

  it("has no circle, types included", () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  it("has random tests take the seed of the run", () => {
    const direct = [...importsIn(tests)]
      .filter(([, names]) => names.includes("fast-check"))
      .map(([file]) => file);
    expect(direct).toEqual(["test/support/property.ts"]);
  });
});

describe("folders", () => {
  it("have at most 20 source files", () => {
    expect(crowdedFolders([...tree.keys(), ...tests.keys()], filesInFolder)).toEqual([]);
  });
});

/** Beside bin and src/cli/core/output: what each writes is data, so that a pipe gets nothing else. */
const writersOfOutput = [
  "src/cli/action/run-action.ts",
  "src/cli/commands/auth.ts",
  "src/cli/core/failures/print-failure.ts",
  "src/cli/core/program/run-cli.ts",
  "src/cli/testing/tester/task-watch.ts",
  "src/cli/views/show-on-terminal.ts",
];

const rules: [string, RegExp, (file: string) => boolean][] = [
  [
    "process.env is read only in bin, and by what tests import",
    /\bprocess\.env\b/,
    (file) => !file.startsWith("bin/") && file !== "src/local/testing.ts",
  ],
  ["process.exit is called only in bin", /\bprocess\.exit(Code)?\b/, (file) => !file.startsWith("bin/")],
  [
    "standard output is written by few files",
    /\bstdout\.write\(/,
    (file) => !/^(bin|src\/cli\/core\/output)\//.test(file) && !writersOfOutput.includes(file),
  ],
  [
    "SQL stands only in server/store",
    /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/,
    (file) => !file.startsWith("server/store/"),
  ],
  [
    "rules ask no clock",
    /\bDate\.now\(|new Date\(\)|Math\.random\(/,
    (file) => file.startsWith("server/domain/"),
  ],
  ["nothing is exported by default", /^export default/m, () => true],
];

const offendersIn = (files: Tree, pattern: RegExp, applies: (file: string) => boolean): string[] =>
  [...files].filter(([file, text]) => applies(file) && pattern.test(codeOf(text))).map(([file]) => file);

describe.each(rules)("%s", (_, pattern, applies) => {
  it("in every source file", () => {
    expect(offendersIn(tree, pattern, applies)).toEqual([]);
  });
});

describe("the checks themselves", () => {
  const planted: Tree = new Map([
    ["server/store/a.ts", 'import { b } from "../http/b.ts";\nexport const a = b;'],
    [
      "server/http/b.ts",
      'import {\n  type A,\n  a,\n} from "../store/a.ts";\nexport type { C } from "./c.ts";',
    ],
    ["server/http/c.ts", '/** import { x } from "koa"; */\n// import "pg";\nexport interface C {}'],
    ["server/new/d.ts", 'const d = await import(\n  "../store/a.ts"\n);'],
  ]);
  const found = importsIn(planted);
  const rows: Walls = { "server/store": ["server/store"], "server/http": ["server/http", "server/store"] };

  it("find imports over several lines, of types and while running, and none in comments", () => {
    expect(Object.fromEntries(found)).toEqual({
      "server/store/a.ts": ["server/http/b.ts"],
      "server/http/b.ts": ["server/store/a.ts", "server/http/c.ts"],
      "server/http/c.ts": [],
      "server/new/d.ts": ["server/store/a.ts"],
    });
  });

  it("name the file and the import that breaks a wall, and a folder without a row", () => {
    expect(breachesIn(found, rows)).toEqual([
      "server/store/a.ts imports server/http/b.ts",
      "server/new/d.ts imports server/store/a.ts",
    ]);
    expect(foldersWithoutRow(found, rows)).toEqual(["server/new"]);
    expect(rowsWithoutFolder(found, { ...rows, "server/old": [] })).toEqual(["server/old"]);
  });

  it("leave out an exception, and name one that nothing needs", () => {
    const allowed = { "server/store/a.ts": { imports: ["server/http/b.ts", "pg"], why: "planted" } };
    expect(breachesIn(found, rows, allowed)).toEqual(["server/new/d.ts imports server/store/a.ts"]);
    expect(staleExceptions(found, rows, allowed)).toEqual(["server/store/a.ts imports pg"]);
  });

  it("name a folder with a file too many, and count no folder inside it", () => {
    const full = Array.from({ length: filesInFolder }, (_, index) => `src/full/${index}.ts`);
    expect(crowdedFolders([...full, "src/full/inside/a.ts"], filesInFolder)).toEqual([]);
    expect(crowdedFolders([...full, "src/full/a.ts"], filesInFolder)).toEqual(["src/full has 21 files"]);
  });

  it("print a circle", () => {
    expect(circlesIn(found)).toEqual(["server/store/a.ts → server/http/b.ts → server/store/a.ts"]);
  });
});

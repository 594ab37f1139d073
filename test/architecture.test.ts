import { describe, expect, it } from "vitest";
import { exceptions } from "./support/sources/import-exceptions.ts";
import { walls } from "./support/sources/import-rules.ts";
import { circlesIn, codeOf, importsIn } from "./support/sources/imports.ts";
import { breachesInAreas, roleBreachesIn, strictAreas } from "./support/sources/roles.ts";
import { readTree, type Tree } from "./support/sources/tree.ts";
import {
  breachesIn,
  foldersWithoutRow,
  rowsWithoutFolder,
  staleExceptions,
} from "./support/sources/walls.ts";

const tree = readTree(["bin", "src", "server", "mcp"], [".ts", ".tsx"]);
const tests = readTree(["test"], [".ts", ".tsx"]);
const imports = importsIn(tree);

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

  it("is what the role of a file allows, in each strict area", () => {
    expect(breachesInAreas(roleBreachesIn(tree, imports), strictAreas)).toEqual([]);
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

/** Beside bin and src/cli/core/output: what each writes is data, so that a pipe gets nothing else. */
const writersOfOutput = [
  "src/cli/action/run-action.ts",
  "src/cli/commands/auth.ts",
  "src/cli/core/failures/print-failure.ts",
  "src/cli/core/program/run-cli.ts",
  "src/cli/testing/tester/task-watch.ts",
  "src/cli/views/show-on-terminal.ts",
];

/** They copy what this server kept before, or files that it makes itself. All other files lose what rule F17 says. */
const copiersOfFiles = [
  "server/admin/move-files.ts",
  "server/admin/restore.ts",
  "server/continuous/restore-files.ts",
  "server/dev/snapshots/snapshots.ts",
  "server/transfer/write-export.ts",
];

/** What is given for any server must meet the guard of find-credential.ts, so all others ask it. */
const readersOfCredentials = [
  "src/cli/core/credentials/find-credential.ts",
  // It leaves the token to find-credential.ts if a file of the project names the server.
  "src/cli/commands/mcp.ts",
  // These only ask whether a variable is set.
  "src/cli/core/connection/last-sign-in.ts",
  "src/cli/core/connection/server-address.ts",
  "src/cli/core/credentials/store-credential.ts",
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
  [
    "files are kept as they came only by copies",
    /\.finishUnchanged\(/,
    (file) => !copiersOfFiles.includes(file),
  ],
  [
    "credentials are taken from the environment in one place",
    /\benv\[(?:\w+\.)?variable\]|\benv\.INNKEEP_(?:API_KEY|TOKEN|AGENT_TOKEN|DEVICE_TOKEN)\b/,
    (file) => /^(src\/cli|mcp)\//.test(file) && !readersOfCredentials.includes(file),
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

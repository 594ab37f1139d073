import { describe, expect, it } from "vitest";
import {
  breachesIn,
  entriesWithoutFile,
  foldersWithoutRow,
  rowsWithoutFolder,
} from "./support/sources/folder-rules.ts";
import { importRules } from "./support/sources/import-rules.ts";
import { circlesIn, codeOf, importsIn } from "./support/sources/imports.ts";
import { breachesInAreas, roleBreachesIn, strictAreas } from "./support/sources/roles.ts";
import { isInRepository, readTree, type Tree } from "./support/sources/tree.ts";

const tree = readTree(["bin", "src", "server", "mcp"], [".ts", ".tsx"]);
const tests = readTree(["test"], [".ts", ".tsx"]);
const imports = importsIn(tree);

describe("the rules about imports between folders", () => {
  it("have a row for every folder, and no row without a folder", () => {
    expect(foldersWithoutRow(imports, importRules)).toEqual([]);
    expect(rowsWithoutFolder(imports, importRules)).toEqual([]);
  });

  it("name only files and folders that exist", () => {
    expect(entriesWithoutFile(importRules, isInRepository)).toEqual([]);
  });

  it("list what each folder may import", () => {
    expect(breachesIn(imports, importRules)).toEqual([]);
  });

  it("are followed by the role of each file in each strict area", () => {
    expect(breachesInAreas(roleBreachesIn(tree, imports), strictAreas)).toEqual([]);
  });

  it("allow no cycle, including imports of types", () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  it("require that random tests use the seed of the run", () => {
    const direct = [...importsIn(tests)]
      .filter(([, names]) => names.includes("fast-check"))
      .map(([file]) => file);
    expect(direct).toEqual(["test/support/property.ts"]);
  });
});

/** Files that may write to standard output, besides bin. They write only data, so that a pipe gets nothing else. */
const writersOfOutput = [
  "src/cli/core/output.ts",
  "src/cli/action.ts",
  "src/cli/auth.ts",
  "src/cli/core/failures.ts",
  "src/cli/core/program.ts",
  "src/cli/tester.ts",
  "src/cli/core/screen.lazy.ts",
];

/**
 * They copy files that this server stored before, or files that it creates. From all other files, the data of rule F17
 * is removed.
 */
const copiersOfFiles = [
  "server/admin/move-files.ts",
  "server/backup/restore.ts",
  "server/dev/snapshots.ts",
  "server/transfer/export.ts",
];

/** A credential for any server must pass the check in core/credentials.ts, so all other files read it from there. */
const readersOfCredentials = [
  "src/cli/core/settings.ts",
  // If a file of the project names the server, core/credentials.ts reads the token.
  "src/cli/mcp.ts",
  // It only asks whether a variable is set.
  "src/cli/core/store-credential.ts",
];

/** SQL that stores of several subjects need, so it is not in one of them. */
const sqlBesideStores = [
  "server/access/credentials.ts",
  "server/access/members/authors.ts",
  "server/access/members/visibility.ts",
];

/** Files with rules that have another name. */
const otherRules = [
  "server/http/rate-limits/rate-limits.ts",
  "server/testing/days/rules.ts",
  "server/transfer/fields.ts",
];

interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  /** The files that the rule is about; undefined for all. */
  readonly applies?: (file: string) => boolean;
  /** Files that may have the pattern. */
  readonly exceptions?: readonly string[];
}

const rules: readonly Rule[] = [
  {
    name: "process.env is read only in bin, and by modules that tests import",
    pattern: /\bprocess\.env\b/,
    applies: (file) => !file.startsWith("bin/"),
    exceptions: ["src/local/testing.ts"],
  },
  {
    name: "process.exit is called only in bin",
    pattern: /\bprocess\.exit(Code)?\b/,
    applies: (file) => !file.startsWith("bin/"),
  },
  {
    name: "only few files write to standard output",
    pattern: /\bstdout\.write\(/,
    applies: (file) => !file.startsWith("bin/"),
    exceptions: writersOfOutput,
  },
  {
    name: "SQL is only in stores and in the database folder",
    pattern: /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/,
    applies: (file) => !/^server\/database\/|\/store(\/|\.ts$)|-store\.ts$/.test(file),
    exceptions: sqlBesideStores,
  },
  {
    name: "rules read no clock",
    pattern: /\bDate\.now\(|new Date\(\)|Math\.random\(/,
    applies: (file) => /^server\/.*\/rules(\/|\.ts$)/.test(file) || otherRules.includes(file),
  },
  {
    name: "only copies store files unchanged",
    pattern: /\.finishUnchanged\(/,
    exceptions: copiersOfFiles,
  },
  {
    name: "credentials of the environment are read in one place",
    pattern: /\benv\[(?:\w+\.)?variable\]|\benv\.INNKEEP_(?:API_KEY|TOKEN|AGENT_TOKEN|DEVICE_TOKEN)\b/,
    applies: (file) => /^(src\/cli|mcp)\//.test(file),
    exceptions: readersOfCredentials,
  },
  { name: "nothing is exported by default", pattern: /^export default/m },
];

const offendersIn = (files: Tree, { pattern, applies = () => true }: Rule): string[] =>
  [...files].filter(([file, text]) => applies(file) && pattern.test(codeOf(text))).map(([file]) => file);

describe.each(rules)("the rule that $name", (rule) => {
  const { exceptions = [] } = rule;
  const offenders = offendersIn(tree, rule);

  it("is followed by every source file", () => {
    expect(offenders.filter((file) => !exceptions.includes(file))).toEqual([]);
  });

  it("has only exceptions for files that exist and need them", () => {
    expect(exceptions.filter((file) => !offenders.includes(file))).toEqual([]);
  });
});

it("the other files with rules exist", () => {
  expect(otherRules.filter((file) => !tree.has(file))).toEqual([]);
});

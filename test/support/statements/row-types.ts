import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Place } from "./places.ts";
import { textOf } from "./syntax.ts";

/** A place with the lists of columns of its statements. */
export interface Described {
  readonly place: Place;
  readonly columns: readonly (readonly string[])[];
}

/**
 * Compares the columns of statements with their row types in the code. The compiler checks a copy of the sources, in
 * which each file ends with these comparisons. Returns a sentence for each that differs.
 */
export async function differingRowTypes(all: readonly Described[], folder: string): Promise<string[]> {
  for (const part of ["server", "src", "mcp", "build", "package.json"])
    await cp(part, join(folder, part), { recursive: true });
  await cp(typesFile, join(folder, typesFile));
  const checks = new Map<string, string>();
  for (const source of new Set(all.map(({ place }) => place.source))) {
    const types = relative(dirname(source.file), typesFile);
    const lines = [source.text, `import type * as $rows from "${types.replaceAll("\\", "/")}";`];
    for (const one of all.filter(({ place }) => place.source === source))
      for (const names of one.columns) {
        lines.push(`export type $Check${checks.size} = ${checkOf(one.place, names)};`);
        checks.set(`${source.file}(${lines.join("\n").split("\n").length}`, one.place.at);
      }
    await writeFile(join(folder, source.file), lines.join("\n"));
  }
  const options = {
    extends: resolve("tsconfig.json"),
    compilerOptions: { noUnusedLocals: false, typeRoots: [resolve("node_modules/@types")] },
    include: [],
    files: [...new Set(all.map(({ place }) => place.source.file))],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(options));
  return (await compile(folder))
    .split("\n")
    .filter((line) => line.includes("error TS"))
    .map((line) => {
      const at = checks.get(line.split(",")[0] ?? "");
      const sentence = /"(The [^"]*\.)"/.exec(line)?.[1];
      return at && sentence ? `${at}: ${sentence}` : `${at ?? ""} ${line}`;
    });
}

const compile = (folder: string): Promise<string> =>
  new Promise((done) => {
    const compiler = resolve("node_modules/typescript/bin/tsc");
    const flags = [compiler, "--pretty", "false", "-p", folder];
    execFile(process.execPath, flags, { cwd: folder, maxBuffer: 100_000_000 }, (_, stdout) => done(stdout));
  });

const typesFile = "test/support/statements/columns-of-rows.ts";

/** The type that does not compile if the type of the rows differs from the columns. */
function checkOf({ rowType, given, source }: Place, names: readonly string[]): string {
  const sql = given[0] ? textOf(source, given[0].node) : "";
  const type = rowType ? textOf(source, rowType) : `$rows.RowsOf<typeof ${sql}>`;
  const columns = names.map((name) => JSON.stringify(name)).join(" | ") || "never";
  return `$rows.Same<$rows.Compared<${type.replace(/\s+/g, " ")}, ${columns}>>`;
}

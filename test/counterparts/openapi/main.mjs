// Checks the OpenAPI document with well-known linters, which must find nothing:
// `node test/counterparts/openapi/main.mjs`. It needs the npm registry: the linters and what they need are 77 MB.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createReport, run } from "../programs.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { report, end } = createReport();
const folder = await mkdtemp(join(tmpdir(), "innkeep-openapi-"));
try {
  for (const file of ["package.json", "package-lock.json", "lint.mjs"])
    await cp(here(file), join(folder, file));
  // A test compares this file with what the server answers.
  const document = await readFile(here("../../contract/openapi.json"), "utf8");
  await writeFile(join(folder, "document.json"), document);
  await writeFile(join(folder, "faulty.json"), JSON.stringify(withFaults(JSON.parse(document))));
  const installed = await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  report("the linters", installed.code === 0 ? [] : [installed.stderr]);
  const lint = ["lint.mjs", "document.json", "faulty.json"];
  const { code, stdout, stderr } = await run(process.execPath, lint, { cwd: folder });
  report("both read the document", code === 0 ? [] : [stderr]);
  const [found = {}, planted = {}] = code === 0 ? JSON.parse(stdout) : [];
  for (const linter of ["redocly", "spectral"]) {
    report(`${linter} finds nothing`, found[linter] ?? ["not run"]);
    report(`${linter} finds planted faults`, planted[linter]?.length > 0 ? [] : ["it finds none"]);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
end();

/** Copies of the document with an error for each linter. */
function withFaults({ info: { description, ...info }, tags, ...rest }) {
  return { ...rest, info, tags: tags.map(({ name }) => ({ name })) };
}

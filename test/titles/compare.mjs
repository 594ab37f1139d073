// Lists the titles of tests that an older state of the repository has and a newer one has not:
//
//   npx vitest list --json=/tmp/before.json        in a checkout of the older state
//   npx vitest list --json=/tmp/after.json         in a checkout of the newer state
//   node test/titles/compare.mjs /tmp/before.json /tmp/after.json
//
// Each title that is gone needs a row in gone.md. Exits with 1 if one has none.
import { readFileSync } from "node:fs";

const [before = "", after = ""] = process.argv.slice(2);
const old = titlesIn(before);
const present = new Set(titlesIn(after).map(({ text }) => text));
const gone = old.filter(({ text }) => !present.has(text));
const rows = reasonsIn(new URL("gone.md", import.meta.url));
const unexplained = gone.filter((title) => !rows.some((row) => explains(row, title)));
const useless = rows.filter((row) => !gone.some((title) => explains(row, title)));

print(
  `${old.length} titles before, ${present.size} after; ${gone.length} gone, ${unexplained.length} without a reason.`,
);
for (const { text } of unexplained) print(text);
for (const row of useless) print(`This row explains nothing: ${row.line}`);
process.exitCode = unexplained.length > 0 ? 1 : 0;

/**
 * The different titles, without folders and without the name of a database, because tests have moved and changed
 * databases.
 */
function titlesIn(file) {
  const tests = JSON.parse(readFileSync(file, "utf8"));
  const titles = tests.map((test) => {
    const path = test.file.replace(/^.*\//, "");
    const name = test.name
      .replaceAll("'", "")
      .replace(/,? (?:on|over|with|of|from|to) (?:sqlite3|node-sqlite|postgres)(?= |,|$)/g, "");
    return { path, names: [name, test.name.replaceAll("'", "")], text: `${path} | ${name}` };
  });
  return [...new Map(titles.map((title) => [title.text, title])).values()];
}

/** The rows of the table: a file and the titles of its tests, in which `*` is any text, and a reason. */
function reasonsIn(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  const rows = lines.map((line) => ({
    line,
    cell: /^\| `test\/(?:[^`> ]*\/)?([\w.-]+) > (.*?)` \|/.exec(line),
  }));
  return rows.flatMap(({ line, cell }) =>
    cell
      ? [{ line, path: cell[1], name: patternOf(cell[2].replaceAll("'", "").replaceAll("\\|", "|")) }]
      : [],
  );
}

function patternOf(name) {
  const text = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\\*", ".*");
  return new RegExp(`^${text}$`, "s");
}

function explains({ path, name }, title) {
  return path === title.path && title.names.some((text) => name.test(text));
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

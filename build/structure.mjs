// Prints figures of the structure of the sources, for maintainers:
// `node build/structure.mjs [--lists] [--roles] [--coverage]`.
// --lists prints the files and names that were counted. --roles prints each place that breaks a rule for a
// role.
// --coverage starts the server and counts the files that run for requests.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { parseAst } from "rolldown/parseAst";
import { root } from "./plugins.mjs";

const options = new Set(process.argv.slice(2));
const unknown = [...options].filter((option) => !["--lists", "--roles", "--coverage"].includes(option));
if (unknown.length > 0) throw new Error(`There is no option ${unknown.join(", ")}.`);
process.chdir(root);

const { readTree, importsIn, circlesIn, placeOf, roleBreachesIn } = await supportOfTests();
const folders = ["bin", "src", "server", "mcp"];
const tree = readTree(folders, [".ts", ".tsx"]);
const imports = importsIn(tree);

/**
 * Returns the functions with which the tests read sources. So this script counts in the same way as the tests.
 * The functions are bundled first, because Node 20 cannot load TypeScript.
 */
async function supportOfTests() {
  const names = ["tree", "imports", "roles"];
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export * from "./test/support/sources/${name}.ts";`).join(""),
      resolveDir: root,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    define: { "import.meta.dirname": JSON.stringify(join(root, "test/support/sources")) },
  });
  const [{ contents }] = outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(contents).toString("base64")}`);
}

/** Returns what one file declares, exports and imports, and how often it uses each name. */
function factsOf(file, text) {
  const facts = {
    lines: linesOf(text),
    /** The names of exported values (`values`) and of exported types (`types`). */
    values: [],
    types: [],
    /** The names of the types that are object types. */
    bags: new Set(),
    /** How often each name is used, not counting its declaration, imports and exports. */
    uses: new Map(),
    /** How often each type is the type of a parameter. */
    ofParameters: new Map(),
    /** The names that are imported from each file. `*` means all names. */
    imported: [],
    anys: 0,
    casts: 0,
  };
  walk(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }), null, "", (node, parent, key) =>
    read(facts, file, node, parent, key),
  );
  return facts;
}

const linesOf = (text) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

function walk(node, parent, key, visit) {
  if (Array.isArray(node)) for (const one of node) walk(one, parent, key, visit);
  if (typeof node?.type !== "string") return;
  visit(node, parent, key);
  for (const [name, part] of Object.entries(node))
    if (typeof part === "object" && part !== null) walk(part, node, name, visit);
}

const readers = {
  ImportDeclaration(facts, file, { source, specifiers }) {
    addImport(facts, file, source.value, specifiers.map(nameOfSpecifier));
  },
  ExportAllDeclaration(facts, file, { source }) {
    addImport(facts, file, source.value, ["*"]);
  },
  ImportExpression(facts, file, { source }) {
    addImport(facts, file, source.value, ["*"]);
  },
  ExportNamedDeclaration(facts, file, { declaration, specifiers, source, exportKind }) {
    if (source) addImport(facts, file, source.value, specifiers.map(nameOfLocal));
    if (declaration) addDeclared(facts, declaration);
    if (source || exportKind === "type") return;
    for (const one of specifiers) if (one.exportKind !== "type") facts.values.push(nameOf(one.exported));
  },
  TSInterfaceDeclaration: (facts, _, { id }) => facts.bags.add(id.name),
  TSTypeAliasDeclaration(facts, _, { id, typeAnnotation }) {
    if (isObject(typeAnnotation)) facts.bags.add(id.name);
  },
  TSAnyKeyword: (facts) => {
    facts.anys += 1;
  },
  TSAsExpression(facts, _, { typeAnnotation }) {
    if (typeAnnotation.typeName?.name !== "const") facts.casts += 1;
  },
  TSTypeAssertion: (facts) => {
    facts.casts += 1;
  },
  Identifier(facts, _, { name }, parent, key) {
    const isDeclared = key === "id" && /^TS(Interface|TypeAlias)Declaration$/.test(parent.type);
    if (!isDeclared && !/Specifier$/.test(parent.type)) increase(facts.uses, name);
  },
};

function read(facts, file, node, parent, key) {
  readers[node.type]?.(facts, file, node, parent, key);
  if (key !== "params") return;
  const parameter = node.type === "AssignmentPattern" ? node.left : node;
  const type = parameter.typeAnnotation?.typeAnnotation;
  if (type?.type === "TSTypeReference") increase(facts.ofParameters, type.typeName.name);
}

const increase = (counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1);
const nameOf = (node) => node.name ?? node.value;
const nameOfLocal = ({ local }) => nameOf(local);
const nameOfSpecifier = ({ imported, type }) =>
  type === "ImportNamespaceSpecifier" ? "*" : nameOf(imported ?? { name: "default" });

function addImport({ imported }, file, source, names) {
  if (source?.startsWith?.("."))
    imported.push({ from: join(file, "..", source).replaceAll("\\", "/"), names });
}

/** Adds the names that a declaration exports, also the names in `export const { a, b } = …`. */
function addDeclared({ values, types }, declaration) {
  if (/^TS(Interface|TypeAlias)/.test(declaration.type)) types.push(declaration.id.name);
  else if (declaration.type === "VariableDeclaration")
    for (const { id } of declaration.declarations) values.push(...boundBy(id));
  else values.push(declaration.id.name);
}

const boundBy = (pattern) =>
  pattern.type === "ObjectPattern"
    ? pattern.properties.flatMap(({ value, argument }) => boundBy(value ?? argument))
    : [nameOf(pattern.type === "AssignmentPattern" ? pattern.left : pattern)];

/**
 * Whether a type is an object type: with fields, or with fields from another type. A union, a function or an
 * alias is not an object type.
 */
const isObject = ({ type, types = [], typeName }) =>
  type === "TSTypeLiteral" ||
  (type === "TSIntersectionType" && types.some(isObject)) ||
  (type === "TSTypeReference" && ["Pick", "Omit", "Partial", "Readonly"].includes(typeName.name));

/**
 * Whether two files are parts of the same thing. In the layout by subject, both files must have the same
 * subject and role, and a file without a role belongs to each role of its subject. In a folder of subjects,
 * each file is a separate subject, unless only one file imports it. In all other folders, both files must be in
 * the same folder, or one folder must be inside the other, in one part of the product.
 */
function isSamePart(file, other) {
  const [place, its] = [placeOf(file), placeOf(other)];
  if (place && its) return JSON.stringify(place) === JSON.stringify(its);
  if (place || its) return subjectFolder(file) === subjectFolder(other);
  const [folder, above] = [file, other].map((path) => path.slice(0, path.lastIndexOf("/"))).sort(byLength);
  const isPart = above.includes("/") || ["bin", "mcp"].includes(above);
  if (folder === above && foldersOfSubjects.has(folder)) return importersOf(file).length === 1;
  return folder === above || (isPart && folder.startsWith(`${above}/`));
}

/**
 * The folders in which each file is a separate subject, such as the steps of a request, or the modules of the
 * client.
 */
const foldersOfSubjects = new Set([
  "mcp",
  ...["client", "contract", "local", "words", "cli/core"].map((name) => `src/${name}`),
  ...[
    "admin",
    "backup",
    "console",
    "database",
    "demo",
    "dev",
    "erasure",
    "files",
    "http",
    "jobs",
    "mail",
  ].map((name) => `server/${name}`),
  ...["settings", "start", "transfer"].map((name) => `server/${name}`),
]);

/**
 * Whether a rule for roles forbids moving a name into the file that imports it. Rules must be pure, and only
 * stores may contain SQL.
 */
function isApartByRule(file, importer) {
  const [place, its] = [placeOf(file), placeOf(importer)];
  return ["rules", "store"].includes(place?.role) && its?.role !== place.role;
}

const subjectFolder = (file) => file.split("/").slice(0, 3).join("/");
const byLength = (a, b) => b.length - a.length;

/** Whether there is a reason for a separate file, even if only one file imports it. */
function standsAlone(file) {
  const isNamedByBuild = namesInBuild.has(file);
  return (
    isNamedByBuild || /^src\/cli\/(commands\/|[^/]+$)|^mcp\/tools\/[^/]+$|\.lazy\.ts$|-thread\.ts$/.test(file)
  );
}

function filesNamedInBuild() {
  const texts = readdirSync("build").map((name) => readFileSync(join("build", name), "utf8"));
  return new Set(texts.flatMap((text) => text.match(/\b(?:bin|src|server|mcp)\/[\w./-]+\.tsx?\b/g) ?? []));
}

/**
 * Returns the files that import this name from a file. Without a name, returns all files that import the file.
 */
const importersOf = (file, name) =>
  (importersByFile.get(file) ?? [])
    .filter(({ names }) => name === undefined || names.includes(name) || names.includes("*"))
    .map(({ by }) => by);

function importers() {
  const found = new Map();
  for (const { file, imported } of files)
    for (const { from, names } of imported) {
      const list = found.get(from) ?? [];
      const known = list.find(({ by }) => by === file);
      if (known) known.names.push(...names);
      else list.push({ by: file, names: [...names] });
      found.set(from, list);
    }
  return found;
}

/** Prints the sizes of all source files, also of scripts and styles for the browser. */
function printSizes() {
  const sources = [...readTree(folders, [".ts", ".tsx", ".js", ".css"]).values()];
  const lines = sources.map(linesOf).sort((a, b) => a - b);
  const total = lines.reduce((sum, count) => sum + count, 0);
  print("Source files (bin, src, server, mcp)", sources.length);
  print("Lines", total);
  print("Lines of the median file", lines[Math.floor(lines.length / 2)]);
  print("Lines of the largest file", lines.at(-1));
  print("Files of at most 40 lines", lines.filter((count) => count <= 40).length);
}

function printExports() {
  const all = files.flatMap(({ file, values }) =>
    values.map((name) => ({ file, name, by: importersOf(file, name) })),
  );
  const once = all.filter(({ by }) => by.length === 1);
  const cut = once.filter(
    ({ file, by: [only] }) => isSamePart(file, only) && !standsAlone(file) && !isApartByRule(file, only),
  );
  print("Exported values", all.length);
  print("  of them imported by one other file", once.length);
  print("  of them only because of a cut", cut.length, "Its one importer is the same part (see the end).");
  list(cut.map(({ file, name, by: [only] }) => `${file}: ${name}, for ${only}`));
}

function printBags() {
  const bags = files.flatMap((one) => [...one.bags].map((name) => ({ ...one, name })).filter(isBag));
  print(
    "Types that only group parameters",
    bags.length,
    "Object types named once, as the type of one parameter; not exported, or for one importer.",
  );
  print("  of them not exported", bags.filter(({ types, name }) => !types.includes(name)).length);
  print("  of them props of components", bags.filter(({ name }) => name.endsWith("Props")).length);
  list(bags.map(({ file, name }) => `${file}: ${name}`));
}

/**
 * Whether a type is used only once, in this file or in the only file that imports it. A use after a renaming
 * import does not count.
 */
function isBag({ file, types, uses, ofParameters, name }) {
  const others = types.includes(name) ? importersOf(file, name) : [];
  if (others.length > 1) return false;
  const users = [{ uses, ofParameters }, ...others.map((other) => byFile.get(other))];
  const count = (key) => users.reduce((sum, user) => sum + (user[key].get(name) ?? 0), 0);
  return count("uses") === 1 && count("ofParameters") === 1;
}

function printSmallFiles() {
  const found = files
    .filter(({ file, lines }) => lines < 40 && !standsAlone(file))
    .map(({ file, lines }) => ({ file, lines, by: importersOf(file) }))
    .filter(({ file, by }) => by.length === 1 && isSamePart(file, by[0]));
  print(
    "Files of less than 40 lines for one importer",
    found.length,
    "Its one importer is the same part (see the end).",
  );
  list(found.map(({ file, lines, by }) => `${file} (${lines}), for ${by[0]}`));
}

function printTypes() {
  const sum = (key) => files.reduce((total, one) => total + one[key], 0);
  print("any", sum("anys"));
  print("Casts with `as`, apart from `as const`", sum("casts"));
  list(files.filter(({ casts }) => casts > 0).map(({ file, casts }) => `${file}: ${casts}`));
  const circles = circlesIn(imports);
  print("Import cycles, types included", circles.length);
  list(circles);
}

function printRoles() {
  const breaches = roleBreachesIn(tree, imports);
  print("Breaches of the rules by role", breaches.length);
  const withRole = files.filter(({ file }) => placeOf(file));
  print("Files with a role", withRole.length);
  for (const [rule, found] of grouped(breaches, ({ rule }) => rule)) {
    print(`  ${rule}`, found.length);
    for (const { file, what } of found) process.stdout.write(`      ${file} ${what}\n`);
  }
}

function grouped(all, keyOf) {
  const groups = new Map();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

function print(label, figure, note = "") {
  process.stdout.write(`${label.padEnd(52)} ${String(figure).padStart(7)}${note && `   ${note}`}\n`);
}

function list(lines) {
  if (options.has("--lists")) for (const line of lines) process.stdout.write(`      ${line}\n`);
}

const files = [...tree].map(([file, text]) => ({ file, ...factsOf(file, text) }));
const byFile = new Map(files.map((facts) => [facts.file, facts]));
const importersByFile = importers();
const namesInBuild = filesNamedInBuild();

printSizes();
printExports();
printBags();
printSmallFiles();
printTypes();
process.stdout.write(`
The same part: the same server/<area>/<subject> and the same role (api, answer, rules, store, page); a file without a role
belongs to each role of its subject. In a folder of subjects, such as server/http, each file is a subject unless it has one
importer. Elsewhere: the same folder, or one folder above the other and not above src/* or server/*. Tests do not count as importers. A late import or a re-export of all counts for every name. Verbs of the command
line (src/cli/*.ts), tools of MCP (mcp/tools/*.ts), threads, *.lazy.ts and files that build/ names stand
alone: neither they nor what they export count as cut. Rules and stores stand apart from files of another role or of
none.
`);
if (options.has("--roles")) printRoles();
if (options.has("--coverage")) {
  const { printCoverage } = await import("./structure-coverage.mjs");
  await printCoverage({ lists: options.has("--lists") });
}

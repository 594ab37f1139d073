// Moves and merges source files according to a map, and updates all references to them. // node build/reshape.mjs move
// MAP `git mv`, imports, and paths in the build, the configuration and the documents node build/reshape.mjs merge MAP
// puts the files that share a target into one file // A line of a map is `OLD NEW`. Several lines with the same NEW
// describe a merge. The move puts the first file at NEW and the other files beside it, and the merge adds them to it.
// `OLD#name NEW_NAME` renames a declaration or an import of a file. Each step can run again on a fresh tree, because it
// reads all files again. `#` at the beginning of a line is a comment.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";

const root = resolve(import.meta.dirname, "..");
const [mode, mapFile] = process.argv.slice(2);
if (!["move", "merge"].includes(mode) || !mapFile) throw new Error("node build/reshape.mjs move|merge MAP");

const git = (...argv) => execFileSync("git", argv, { cwd: root, encoding: "utf8", maxBuffer: 1e9 });
const tracked = git("ls-files", "-co", "--exclude-standard")
  .split("\n")
  .filter((file) => file && existsSync(join(root, file)));
const isCode = (file) => /\.(ts|tsx|mjs|js)$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file);
const isText = (file) =>
  isCode(file) || /\.(md|json|yml|yaml|sh|css|txt)$/.test(file) || file.startsWith(".ci/");
const read = (file) => readFileSync(join(root, file), "utf8");

const { groups, renames } = readMap(mapFile);
/**
 * The file with the new path of each file. The merge needs it, because it can no longer find out which names were free
 * at the time of the move.
 */
const record = join(resolve(root, git("rev-parse", "--git-dir").trim()), `reshape-${basename(mapFile)}.json`);

function readMap(file) {
  const groups = new Map();
  const renames = new Map();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [from, to] = line.trim().split(/\s+/);
    if (!from || from.startsWith("#")) continue;
    if (!to) throw new Error(`${line}: name OLD and NEW`);
    if (from.includes("#")) renames.set(from, to);
    else groups.set(to, [...(groups.get(to) ?? []), from]);
  }
  return { groups, renames };
}

/** Returns the new path of each file, by its old path. */
function placesOf() {
  if (mode === "merge" && existsSync(record)) return new Map(JSON.parse(readFileSync(record, "utf8")));
  const places = new Map();
  const taken = new Set();
  for (const [target, sources] of groups) {
    const [first, ...others] = [...sources].sort((a, b) => Number(b === target) - Number(a === target));
    places.set(first, target);
    taken.add(target);
    for (const source of others) {
      const folder = basename(dirname(source));
      const names = [
        basename(source),
        `${folder}-${basename(source)}`,
        `${basename(dirname(dirname(source)))}-${folder}-${basename(source)}`,
      ];
      const isFree = (place) =>
        !taken.has(place) &&
        !groups.has(place) &&
        (place === source || !existsSync(join(root, place)) || isMoved(place));
      const place = names.map((name) => join(dirname(target), name)).find(isFree);
      if (!place) throw new Error(`${source}: ${names} already exist beside ${target}`);
      taken.add(place);
      places.set(source, place);
    }
  }
  return places;
}

/** Whether the map moves a file. */
function isMoved(file) {
  return [...groups.values()].some((sources) => sources.includes(file));
}

// ---------------------------------------------------------------------------------------------------------------- move

function moveAll() {
  const all = placesOf();
  writeFileSync(record, JSON.stringify([...all]));
  const places = new Map([...all].filter(([from, to]) => from !== to));
  for (const from of places.keys())
    if (!existsSync(join(root, from))) throw new Error(`${from} does not exist`);
  const placeOf = (file) => places.get(file) ?? file;
  const changed = new Map();
  for (const file of tracked.filter(isCode)) {
    const text = read(file);
    const edits = [];
    for (const { node, value } of pathsIn(file, text)) {
      const target = join(dirname(file), value);
      if (placeOf(target) === target && placeOf(file) === file) continue;
      edits.push({
        start: node.start,
        end: node.end,
        text: JSON.stringify(relativePath(placeOf(file), placeOf(target), value)),
      });
    }
    if (edits.length > 0) changed.set(file, applied(text, edits));
  }
  for (const [file, text] of changed) writeFileSync(join(root, file), text);
  replaceInTexts(places);
  // The move has two steps, because a file may get the path of another file that moves, too.
  for (const [from] of places) git("mv", from, `${from}.moving`);
  for (const [from, to] of places) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    git("mv", `${from}.moving`, to);
  }
  process.stdout.write(`${places.size} files moved, ${changed.size} files with other imports\n`);
}

/**
 * Returns a path in the form of an import. If the old path was a folder with a slash at the end, the new one has the
 * slash, too.
 */
function relativePath(from, to, old = "") {
  const path = relative(dirname(from), to) || ".";
  return (path.startsWith(".") ? path : `./${path}`) + (old.endsWith("/") && !path.endsWith("/") ? "/" : "");
}

/** Replaces whole paths in texts, tests and the build. */
function replaceInTexts(places) {
  const pattern = /(?<![\w-])(?:bin|src|server|mcp|test|build)\/[\w@./-]*\w\.(?:tsx?|mjs|js|css)\b/g;
  for (const file of tracked.filter(isText)) {
    // The tests of the roles name files that do not exist.
    if (file.startsWith("test/titles/") || file === "test/roles.test.ts" || !existsSync(join(root, file)))
      continue;
    const text = read(file);
    const replaced = text.replace(pattern, (path) => places.get(path) ?? path);
    if (replaced !== text) writeFileSync(join(root, file), replaced);
  }
}

// --------------------------------------------------------------------------------------------------------------- parse

function parse(file, text) {
  const lang = extname(file) === ".tsx" ? "tsx" : extname(file) === ".ts" ? "ts" : "jsx";
  try {
    return parseAst(text, { lang, sourceType: "module" });
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
}

function* nodesOf(node, parent, key) {
  if (Array.isArray(node)) {
    for (const item of node) yield* nodesOf(item, parent, key);
    return;
  }
  if (!node || typeof node.type !== "string") return;
  yield { node, parent, key };
  for (const [name, value] of Object.entries(node))
    if (value && typeof value === "object" && name !== "parent") yield* nodesOf(value, node, name);
}

/** Yields the relative paths of the modules and files that a file names. */
function* pathsIn(file, text) {
  if (!/["'`]\.\.?\//.test(text)) return;
  for (const { node, parent, key } of nodesOf(parse(file, text))) {
    if (node.type !== "Literal" || typeof node.value !== "string" || !/^\.\.?(\/|$)/.test(node.value))
      continue;
    const isImport =
      key === "source" ||
      (parent.type === "TSImportType" && (key === "argument" || key === "source")) ||
      (parent.type === "TSLiteralType" && key === "literal");
    const isUrl =
      key === "arguments" &&
      (parent.type === "NewExpression" || parent.type === "CallExpression") &&
      text.slice(parent.start, parent.end).includes("import.meta.url");
    if (isImport || isUrl) yield { node, value: node.value, isImport };
  }
}

function applied(text, edits) {
  let result = text;
  for (const { start, end, text: by } of [...edits].sort((a, b) => b.start - a.start || b.end - a.end))
    result = result.slice(0, start) + by + result.slice(end);
  return result;
}

// --------------------------------------------------------------------------------------------------------------- merge

function mergeAll() {
  const places = placesOf();
  const origins = new Map([...places].map(([from, to]) => [to, from]));
  const merges = new Map();
  for (const [target, sources] of groups) {
    const files = sources.map((source) => places.get(source));
    if (files.length > 1) merges.set(target, files);
  }
  const targetOf = new Map([...merges].flatMap(([target, files]) => files.map((file) => [file, target])));
  const modules = new Map();
  for (const file of tracked.filter(isCode)) modules.set(file, readModule(file));
  for (const file of targetOf.keys())
    if (!modules.has(file)) throw new Error(`${file} does not exist. Run the move first`);
  const uses = usesOf(modules, targetOf);
  const finals = new Map();
  const remarks = [];
  for (const [target, files] of merges) nameGroup(target, files);
  const outputs = new Map();
  for (const [target, files] of merges) outputs.set(target, compose(target, files));
  for (const [file, module] of modules) {
    if (targetOf.has(file)) continue;
    const text = withImports(file, module);
    if (text !== module.text) outputs.set(file, text);
  }
  for (const [file, text] of outputs) writeFileSync(join(root, file), text);
  for (const [file, target] of targetOf) if (file !== target) rmSync(join(root, file));
  replaceInTexts(targetOf);
  process.stdout.write([...remarks, `${targetOf.size} files are now ${merges.size}`, ""].join("\n"));

  /** Decides the name of everything that the files of a group declare. */
  function nameGroup(target, files) {
    const owners = new Map();
    const free = new Set(files.flatMap((file) => [...modules.get(file).free]));
    const declared = files.flatMap((file) =>
      [...modules.get(file).tops.keys()].map((name) => ({
        file,
        name,
        used: uses.get(`${file}#${name}`)?.size ?? 0,
      })),
    );
    for (const { file, name } of declared.sort((a, b) => b.used - a.used)) {
      const wanted = renames.get(`${origins.get(file)}#${name}`) ?? renames.get(`${file}#${name}`) ?? name;
      let final = wanted;
      if (owners.has(final) || (free.has(final) && !isFreeOnlyIn(file, final, files)))
        final = `${wanted}Of${pascal(basename(file).replace(/\..*/, ""))}`;
      if (owners.has(final)) throw new Error(`${target}: ${final} is declared twice`);
      if (final !== name && final !== wanted)
        remarks.push(`${target}: ${name} of ${basename(file)} is ${final} now`);
      owners.set(final, `${file}#${name}`);
      finals.set(`${file}#${name}`, final);
    }
    groupOwners.set(target, owners);
  }

  /** Whether only the file that declares a name uses a global with this name. */
  function isFreeOnlyIn(file, name, files) {
    return files.every((other) => other === file || !modules.get(other).free.has(name));
  }

  function compose(target, files) {
    const owners = groupOwners.get(target);
    const order = callersFirst(files, modules);
    const imports = createImports(target, owners);
    const heads = [];
    const chunks = [];
    for (const file of order) {
      const module = modules.get(file);
      const names = new Map();
      for (const name of module.tops.keys()) names.set(name, finals.get(`${file}#${name}`));
      const namespaces = new Map();
      for (const imported of module.imports) {
        const source = imported.file;
        const group = source && targetOf.get(source);
        if (imported.reexports) {
          if (group === target)
            throw new Error(`${file} exports again what ${source} exports, and both are now ${target}`);
          continue;
        }
        if (group === target) {
          for (const part of imported.parts) {
            if (part.kind === "namespace") namespaces.set(part.local, source);
            else names.set(part.local, finals.get(`${source}#${part.imported}`) ?? part.imported);
          }
          continue;
        }
        for (const part of imported.parts) {
          const name = group ? (finals.get(`${source}#${part.imported}`) ?? part.imported) : part.imported;
          const local = renames.get(`${origins.get(file)}#${part.local}`) ?? part.local;
          names.set(
            part.local,
            imports.add(group ?? source ?? imported.value, name, { ...part, local }, basename(file)),
          );
        }
        if (imported.parts.length === 0) imports.addBare(group ?? source ?? imported.value);
      }
      guardInner(target, file, module, names);
      if (module.head) heads.push(module.head);
      for (const chunk of module.chunks)
        if (!chunk.names.some((name) => ownLoader(target, file, name)))
          chunks.push(rewritten(target, file, { chunk, names, namespaces }));
    }
    const body = inOrderOfUse(chunks).map(({ text }) => text.trim());
    return `${[...new Set(heads)].join("\n")}${heads.length > 0 ? "\n" : ""}${imports.text()}\n${body.join("\n\n")}\n`;
  }

  /** Renames the local variables that would hide a new name. */
  function guardInner(target, file, module, names) {
    for (const [local, final] of [...names]) {
      if (local === final || !module.inner.has(final) || names.has(final)) continue;
      remarks.push(
        `${target}: the local ${final} of ${basename(file)} is ${final}Here now, because of ${local}`,
      );
      names.set(final, `${final}Here`);
    }
  }

  function rewritten(target, file, { chunk, names, namespaces }) {
    const edits = [];
    const { text, start } = chunk;
    const renameAt = (node, isShorthand) => {
      const final = names.get(node.name);
      if (final === undefined || final === node.name) return;
      edits.push({
        start: node.start - start,
        end: node.start - start + node.name.length,
        text: isShorthand ? `${node.name}: ${final}` : final,
      });
    };
    const covered = [];
    for (const { node, parent, key } of nodesOf(chunk.node)) {
      if (covered.some((one) => one.start <= node.start && node.end <= one.end)) continue;
      const lateSource = ownLateNames(target, file, node);
      if (lateSource) {
        for (const { key: name, value } of node.declarations[0].id.properties)
          names.set(value.name, finals.get(`${lateSource}#${name.name}`));
        const from = text.lastIndexOf("\n", node.start - start);
        edits.push({ start: from, end: node.end - start, text: "" });
        covered.push(node);
        continue;
      }
      const ownSource = ownLateImport(target, file, node);
      if (ownSource) {
        const final = finals.get(`${ownSource}#${node.property.name}`);
        if (!final) throw new Error(`${file}: ${node.property.name} of ${ownSource}?`);
        if (modules.get(file).inner.has(final))
          remarks.push(`${target}: a local of ${basename(file)} hides ${final}, which it loaded late`);
        edits.push({ start: node.start - start, end: node.end - start, text: final });
        covered.push(node);
        continue;
      }
      if (
        node.type === "MemberExpression" &&
        node.object.type === "Identifier" &&
        namespaces.has(node.object.name) &&
        !node.computed
      ) {
        const final = finals.get(`${namespaces.get(node.object.name)}#${node.property.name}`);
        if (!final) throw new Error(`${file}: ${node.object.name}.${node.property.name}?`);
        edits.push({ start: node.start - start, end: node.end - start, text: final });
        continue;
      }
      if (
        node.type === "Identifier" &&
        namespaces.has(node.name) &&
        isReference(node, parent, key) &&
        parent.type !== "MemberExpression"
      )
        remarks.push(`${target}: ${node.name} of ${basename(file)} was a namespace of this file`);
      if ((node.type === "Identifier" || node.type === "JSXIdentifier") && isReference(node, parent, key))
        renameAt(node, parent.type === "Property" && parent.shorthand);
      if (node.type === "ImportExpression" || node.type === "TSImportType") {
        const path = node.source ?? node.argument?.literal ?? node.argument;
        if (typeof path?.value === "string" && path.value.startsWith("."))
          edits.push({
            start: path.start - start,
            end: path.end - start,
            text: JSON.stringify(pathFrom(target, join(dirname(file), path.value))),
          });
      }
    }
    // This handles exports from another file.
    if (/^Export/.test(chunk.node.type) && /^\./.test(chunk.node.source?.value ?? "")) {
      const { source, specifiers = [] } = chunk.node;
      const from = join(dirname(file), source.value);
      edits.push({
        start: source.start - start,
        end: source.end - start,
        text: JSON.stringify(pathFrom(target, from)),
      });
      for (const part of specifiers) {
        const final = finals.get(`${from}#${part.local.name}`) ?? part.local.name;
        if (final !== part.local.name)
          edits.push({
            start: part.start - start,
            end: part.end - start,
            text: `${final} as ${part.exported.name}`,
          });
      }
    }
    const isKept = chunk.names.some((name) => uses.get(`${file}#${name}`)?.size > 0 || keepsAll.has(file));
    const isOut = chunk.exported && (isKept || chunk.node.type.startsWith("ExportAll"));
    if (chunk.exported && !isOut)
      edits.push({ start: chunk.node.start - start, end: chunk.inner.start - start, text: "" });
    return {
      names: chunk.names.map((name) => finals.get(`${file}#${name}`)),
      text: applied(text, dedupe(edits)),
      eager: new Set([...chunk.eager].map((name) => names.get(name) ?? name)),
      refs: new Set([...chunk.refs].map((name) => names.get(name) ?? name)),
      isFunction: chunk.isFunction,
      isHoisted: chunk.isHoisted,
      isType: chunk.isType,
    };
  }

  /**
   * Returns the file of the same group that `(await import("./file.ts")).name` loads. Its declarations no longer need
   * an import.
   */
  function ownLateImport(target, file, node) {
    if (node.type !== "MemberExpression" || node.computed) return undefined;
    let object = node.object;
    while (object.type === "ParenthesizedExpression") object = object.expression;
    if (object.type !== "AwaitExpression") return undefined;
    const { argument } = object;
    if (argument.type === "CallExpression" && argument.callee.type === "Identifier")
      return ownLoader(target, file, argument.callee.name);
    return ownSourceOf(target, file, argument);
  }

  /** Returns the file of the same group that an `import("./file.ts")` loads. */
  function ownSourceOf(target, file, node) {
    const path = node?.type === "ImportExpression" && node.source.value;
    if (typeof path !== "string" || !path.startsWith(".")) return undefined;
    const source = join(dirname(file), path);
    return targetOf.get(source) === target ? source : undefined;
  }

  /**
   * import("./file.ts")` loads. => Returns the file of the same group that the import in a `load` function loads. =>
   * import("./file.ts")` loads.
   */
  function ownLoader(target, file, name) {
    const init = modules.get(file).tops.get(name)?.inner.declarations?.[0].init;
    return init?.type === "ArrowFunctionExpression" ? ownSourceOf(target, file, init.body) : undefined;
  }

  /** Returns the file of the same group that `const { name } = await import("./file.ts")` loads. */
  function ownLateNames(target, file, node) {
    const { id, init } = (node.type === "VariableDeclaration" && node.declarations[0]) || {};
    return id?.type === "ObjectPattern" && init?.type === "AwaitExpression"
      ? ownSourceOf(target, file, init.argument)
      : undefined;
  }

  function pathFrom(from, file) {
    return relativePath(from, targetOf.get(file) ?? file);
  }

  /** Returns the text of a file outside of all groups, with new imports of merged files. */
  function withImports(file, module) {
    const touched = module.imports.filter((imported) => imported.file && targetOf.has(imported.file));
    const edits = [];
    for (const { node, value, isImport } of pathsIn(file, module.text)) {
      const path = join(dirname(file), value);
      const isDeclared = touched.some((imported) => imported.source === node.start);
      if (isImport && targetOf.has(path) && !isDeclared)
        edits.push({ start: node.start, end: node.end, text: JSON.stringify(pathFrom(file, path)) });
    }
    const byTarget = new Map();
    for (const imported of module.imports) {
      const target = imported.file && (targetOf.get(imported.file) ?? imported.file);
      if (!target || ![...merges.keys()].includes(target)) continue;
      byTarget.set(target, [...(byTarget.get(target) ?? []), imported]);
    }
    for (const [target, list] of byTarget) {
      const named = list.filter(
        ({ parts, reexports }) => !reexports && parts.every(({ kind }) => kind === "named"),
      );
      for (const imported of list.filter((one) => !named.includes(one)))
        edits.push({
          start: imported.source,
          end: imported.sourceEnd,
          text: JSON.stringify(pathFrom(file, target)),
        });
      const parts = named.flatMap(({ file: from, parts }) =>
        parts.map((part) => ({ ...part, final: finals.get(`${from}#${part.imported}`) ?? part.imported })),
      );
      if (parts.length === 0) continue;
      const [first, ...others] = named;
      edits.push({ start: first.start, end: first.end, text: importText(pathFrom(file, target), parts) });
      for (const other of others)
        edits.push({
          start: other.start,
          end: other.end + (module.text[other.end] === "\n" ? 1 : 0),
          text: "",
        });
    }
    for (const imported of module.imports.filter(
      ({ reexports, file: from }) => reexports && from && targetOf.has(from),
    ))
      for (const part of imported.parts) {
        const final = finals.get(`${imported.file}#${part.imported}`);
        if (final && final !== part.imported)
          edits.push({
            start: part.start,
            end: part.end,
            text: `${part.isType ? "type " : ""}${final} as ${part.local}`,
          });
      }
    return edits.length > 0 ? applied(module.text, dedupe(edits)) : module.text;
  }
}

const groupOwners = new Map();
/** The files from which another file imports everything. */
const keepsAll = new Set();

const dedupe = (edits) => [...new Map(edits.map((edit) => [`${edit.start}-${edit.end}`, edit])).values()];
const pascal = (text) => text.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase());

function importText(path, parts) {
  const unique = new Map(parts.map((part) => [`${part.final} ${part.local}`, part]));
  for (const part of parts) if (!part.isType) unique.set(`${part.final} ${part.local}`, part);
  const allTypes = [...unique.values()].every(({ isType }) => isType);
  const names = [...unique.values()].map(
    ({ final, local, isType }) =>
      `${isType && !allTypes ? "type " : ""}${final === local ? final : `${final} as ${local}`}`,
  );
  return `import ${allTypes ? "type " : ""}{ ${names.join(", ")} } from ${JSON.stringify(path)};`;
}

/** Creates the imports of a merged file. */
function createImports(target, owners) {
  const known = new Map();
  const bySource = new Map();
  const bare = new Set();
  const pathTo = (source) => (existsSync(join(root, source)) ? relativePath(target, source) : source);
  return {
    addBare: (source) => void bare.add(source),
    add(source, name, part, from) {
      const id = `${source}#${part.kind}#${name}`;
      const list = bySource.get(source) ?? [];
      bySource.set(source, list);
      const before = known.get(id);
      if (before) {
        if (!part.isType) before.isType = false;
        return before.local;
      }
      const taken = (local) => owners.has(local) || [...known.values()].some((one) => one.local === local);
      let local = part.local;
      // Two files can import the same value with different names, or different values with the same name.
      if (taken(local) && !taken(name) && part.kind === "named") local = name;
      if (taken(local)) local = `${part.local}From${pascal(basename(source).replace(/\..*/, ""))}`;
      if (local !== part.local) process.stdout.write(`${target}: ${part.local} of ${from} is ${local} now\n`);
      const entry = { final: name, local, isType: part.isType, kind: part.kind };
      known.set(id, entry);
      list.push(entry);
      return local;
    },
    text() {
      const lines = [...bare].map((source) => `import ${JSON.stringify(pathTo(source))};\n`);
      for (const [source, parts] of bySource) {
        const path = pathTo(source);
        for (const { local, isType } of parts.filter(({ kind }) => kind === "namespace"))
          lines.push(`import ${isType ? "type " : ""}* as ${local} from ${JSON.stringify(path)};\n`);
        for (const { local, isType } of parts.filter(({ kind }) => kind === "default"))
          lines.push(`import ${isType ? "type " : ""}${local} from ${JSON.stringify(path)};\n`);
        const named = parts.filter(({ kind }) => kind === "named");
        if (named.length > 0) lines.push(`${importText(path, named)}\n`);
      }
      return lines.join("");
    },
  };
}

/** Returns the files. Each comes before the files of the group that it imports. */
function callersFirst(files, modules) {
  const result = [];
  const visit = (file) => {
    if (result.includes(file)) return;
    for (const other of files)
      if (
        other !== file &&
        modules.get(other).imports.some((imported) => imported.file === file) &&
        !pending.has(other)
      ) {
        pending.add(other);
        visit(other);
      }
    if (!result.includes(file)) result.push(file);
  };
  const pending = new Set();
  for (const file of files) visit(file);
  return result;
}

/** Sorts the statements that run when the module loads: each one after those that it needs. */
function inOrderOfUse(chunks) {
  // If a constant and a type have the same name, the constant counts.
  const byName = new Map(
    [...chunks]
      .sort((a, b) => Number(b.isType) - Number(a.isType))
      .flatMap((chunk) => chunk.names.map((name) => [name, chunk])),
  );
  const done = new Set();
  const result = [];
  const needs = (chunk) => {
    const found = new Set();
    const visit = (names) => {
      for (const name of names) {
        const other = byName.get(name);
        if (!other || other === chunk || found.has(other)) continue;
        found.add(other);
        visit(other.isFunction ? other.refs : other.eager);
      }
    };
    visit(chunk.eager);
    return [...found].filter((other) => !other.isHoisted && !other.isType);
  };
  const put = (chunk, above) => {
    if (done.has(chunk) || above.has(chunk)) return;
    above.add(chunk);
    if (chunk.eager.size > 0)
      for (const other of chunks.filter((one) => needs(chunk).includes(one))) put(other, above);
    done.add(chunk);
    result.push(chunk);
  };
  for (const chunk of chunks) put(chunk, new Set());
  return result;
}

/** Returns the files outside of the group of a file that import each of its names. */
function usesOf(modules, targetOf) {
  const uses = new Map();
  for (const [file, module] of modules) {
    const group = targetOf.get(file) ?? file;
    for (const imported of module.imports) {
      if (!imported.file || (targetOf.get(imported.file) ?? imported.file) === group) continue;
      if (imported.parts.some(({ kind }) => kind !== "named") || imported.all) keepsAll.add(imported.file);
      for (const { imported: name } of imported.parts)
        uses.set(`${imported.file}#${name}`, (uses.get(`${imported.file}#${name}`) ?? new Set()).add(file));
    }
    for (const { node, value } of pathsIn(file, module.text)) {
      const path = join(dirname(file), value);
      if ((targetOf.get(path) ?? path) === group) continue;
      // A dynamic import counts in addition to an import of types from the same file.
      if (!module.imports.some((imported) => imported.source === node.start)) keepsAll.add(path);
    }
  }
  // The build loads these modules completely.
  for (const file of modules.keys())
    if (file.startsWith("build/"))
      for (const [path] of read(file).matchAll(/(?:bin|src|server|mcp|test)\/[\w./-]+\.tsx?/g))
        keepsAll.add(path);
  return uses;
}

// -------------------------------------------------------------------------------------------------------------- module

function readModule(file) {
  const text = read(file);
  const ast = parse(file, text);
  const imports = [];
  const chunks = [];
  const tops = new Map();
  let head = "";
  let at = 0;
  const endOfLine = (end) => {
    const rest = /^[ \t]*(\/\/[^\n]*)?(?=\n|$)/.exec(text.slice(end));
    return rest ? end + rest[0].length : end;
  };
  for (const node of ast.body) {
    const end = endOfLine(node.end);
    const lead = text.slice(at, node.start);
    if (
      node.type === "ImportDeclaration" ||
      ((node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration") && node.source)
    ) {
      imports.push(importOf(file, node));
      if (lead.trim() && chunks.length === 0) head += `${lead.trim()}\n`;
      if (node.type !== "ImportDeclaration")
        chunks.push({
          ...chunkOf(node, node),
          text: lead + text.slice(node.start, end),
          start: node.start - lead.length,
          exported: false,
        });
    } else {
      const inner = node.type === "ExportNamedDeclaration" ? (node.declaration ?? node) : node;
      const chunk = {
        ...chunkOf(node, inner),
        text: lead + text.slice(node.start, end),
        start: node.start - lead.length,
      };
      for (const name of chunk.names) tops.set(name, chunk);
      chunks.push(chunk);
    }
    at = end;
  }
  const rest = text.slice(at);
  if (rest.trim() && chunks.length > 0) chunks.at(-1).text += rest;
  const { inner, free } = namesIn(ast, tops, imports);
  return { text, imports, chunks, tops, head, inner, free };
}

function importOf(file, node) {
  const value = node.source.value;
  const path = /^\.\.?\//.test(value) ? join(dirname(file), value) : undefined;
  const isTypes = node.importKind === "type" || node.exportKind === "type";
  const parts = (node.specifiers ?? []).map((part) => {
    const isType = isTypes || part.importKind === "type" || part.exportKind === "type";
    if (part.type === "ImportNamespaceSpecifier")
      return { kind: "namespace", imported: "*", local: part.local.name, isType };
    if (part.type === "ImportDefaultSpecifier")
      return { kind: "default", imported: "default", local: part.local.name, isType };
    if (part.type === "ExportSpecifier")
      return {
        kind: "named",
        imported: part.local.name,
        local: part.exported.name,
        isType,
        start: part.start,
        end: part.end,
      };
    return { kind: "named", imported: part.imported.name, local: part.local.name, isType };
  });
  return {
    ...{
      value,
      file: path,
      parts,
      start: node.start,
      end: node.end,
      source: node.source.start,
      sourceEnd: node.source.end,
    },
    reexports: node.type !== "ImportDeclaration",
    all: node.type === "ExportAllDeclaration",
  };
}

function chunkOf(node, inner) {
  const exported = node.type === "ExportNamedDeclaration" && node.declaration != null;
  const names = [];
  if (inner.type === "VariableDeclaration")
    for (const { id } of inner.declarations) names.push(...bindingsOf(id));
  else if (inner.id?.name) names.push(inner.id.name);
  const isHoisted = inner.type === "FunctionDeclaration" || inner.type === "TSDeclareFunction";
  const isFunction =
    inner.type === "FunctionDeclaration" || inner.type === "TSDeclareFunction" || isFunctionValue(inner);
  const refs = new Set();
  for (const { node: one, parent, key } of nodesOf(inner))
    if ((one.type === "Identifier" || one.type === "JSXIdentifier") && isReference(one, parent, key))
      refs.add(one.name);
  const isType = inner.type.startsWith("TS");
  const eager = new Set();
  if (!isFunction && !isType)
    for (const name of eagerNames(inner)) if (!names.includes(name)) eager.add(name);
  for (const name of parametersIn(inner)) {
    refs.delete(name);
    eager.delete(name);
  }
  return { node, inner, exported, names, isFunction, isHoisted, isType, refs, eager };
}

/** Yields the names of parameters. Each hides an outer declaration with the same name. */
function* parametersIn(inner) {
  for (const { node } of nodesOf(inner))
    for (const param of (/Function/.test(node.type) && node.params) || [])
      yield* bindingsOf(param.parameter ?? param);
}

const isFunctionValue = (inner) =>
  inner.type === "VariableDeclaration" &&
  inner.declarations.every(
    ({ init }) => init && /^(ArrowFunctionExpression|FunctionExpression)$/.test(init.type),
  );

/**
 * Yields the names that a statement reads when the module begins. A function that is an argument of a call may run
 * immediately.
 */
function* eagerNames(node, isCalled = false) {
  if (Array.isArray(node)) {
    for (const item of node) yield* eagerNames(item, isCalled);
    return;
  }
  if (
    !node ||
    typeof node.type !== "string" ||
    /^TS(?!AsExpression|SatisfiesExpression|NonNull)/.test(node.type)
  )
    return;
  if (/^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type) && !isCalled)
    return;
  if (node.type === "Identifier" || node.type === "JSXIdentifier") yield node.name;
  for (const [name, value] of Object.entries(node)) {
    if (!value || typeof value !== "object" || name === "typeAnnotation") continue;
    if (name === "property" && node.type === "MemberExpression" && !node.computed) continue;
    if (name === "key" && !node.computed) continue;
    const runs =
      /^(CallExpression|NewExpression)$/.test(node.type) && (name === "arguments" || name === "callee");
    yield* eagerNames(value, runs || (isCalled && name !== "body"));
    if (isCalled && name === "body") yield* eagerNames(value, false);
  }
}

function bindingsOf(pattern) {
  if (!pattern) return [];
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "ObjectPattern")
    return pattern.properties.flatMap((one) => bindingsOf(one.value ?? one.argument));
  if (pattern.type === "ArrayPattern") return pattern.elements.flatMap(bindingsOf);
  if (pattern.type === "AssignmentPattern") return bindingsOf(pattern.left);
  if (pattern.type === "RestElement") return bindingsOf(pattern.argument);
  return [];
}

/** Whether an identifier is the name of a variable or a type, and not of a property. */
function isReference(node, parent, key) {
  if (!parent) return true;
  const { type } = parent;
  if (node.type === "JSXIdentifier")
    return /^JSX(Opening|Closing)Element$/.test(type)
      ? /^[A-Z]/.test(node.name)
      : type === "JSXMemberExpression" && key === "object";
  if (type === "MemberExpression") return key !== "property" || parent.computed;
  if (type === "Property") return key === "value" || parent.computed;
  if (
    /^(MethodDefinition|PropertyDefinition|AccessorProperty|TSPropertySignature|TSMethodSignature)$/.test(
      type,
    )
  )
    return key !== "key" || parent.computed;
  if (
    /^(LabeledStatement|BreakStatement|ContinueStatement|MetaProperty|TSEnumMember|ImportSpecifier|ExportSpecifier|ImportAttribute)$/.test(
      type,
    )
  )
    return type === "ExportSpecifier" && key === "local";
  if (type === "TSQualifiedName") return key === "left";
  if (type === "TSNamedTupleMember") return key !== "label";
  if (type === "TSImportType") return false;
  return true;
}

/** Returns the names that are declared inside, and the names that are not declared in the file. */
function namesIn(ast, tops, imports) {
  const inner = new Set();
  const used = new Set();
  for (const { node, parent, key } of nodesOf(ast)) {
    if (/Function|Arrow|^TSMethodSignature$|^TSFunctionType$/.test(node.type)) {
      for (const param of node.params ?? [])
        for (const name of bindingsOf(param.parameter ?? param)) inner.add(name);
      if (node.id?.name && !tops.has(node.id.name)) inner.add(node.id.name);
    }
    if (node.type === "VariableDeclarator")
      for (const name of bindingsOf(node.id)) if (!tops.has(name)) inner.add(name);
    if (node.type === "CatchClause") for (const name of bindingsOf(node.param)) inner.add(name);
    if (node.type === "TSTypeParameter") inner.add(node.name?.name ?? node.name);
    if ((node.type === "Identifier" || node.type === "JSXIdentifier") && isReference(node, parent, key))
      used.add(node.name);
  }
  const imported = new Set(imports.flatMap(({ parts }) => parts.map(({ local }) => local)));
  const free = new Set(
    [...used].filter((name) => !inner.has(name) && !tops.has(name) && !imported.has(name)),
  );
  return { inner, free };
}

if (mode === "move") moveAll();
else mergeAll();

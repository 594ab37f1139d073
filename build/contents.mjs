// Checks what is inside the bundles, and writes their licences and their bill of materials.
import { hash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const packages = (...names) => `node_modules/(${names.join("|")})/`;
const server = packages("@koa", "koa", "pg", "sqlite3", "preact", "preact-render-to-string");
const screen = packages("ink", "react");
const protocol = packages("@modelcontextprotocol");

/** Files and packages that a bundle must not contain, because they make its start slow. */
const forbidden = {
  programs: {
    entry: /^(server|mcp|src)\/|node_modules\//,
    commandLine: new RegExp(
      [
        "^(server|mcp)/",
        server,
        screen,
        protocol,
        packages("conf", "diff", "markdown-it", "open", "saxes", "tinyglobby", "undici", "yaml", "zod"),
      ].join("|"),
    ),
    notes: new RegExp(["^(server|mcp)/", server, screen, protocol, packages("undici", "zod")].join("|")),
    rules: new RegExp(["^(server|mcp)/", server, screen, protocol, packages("undici")].join("|")),
    agentServer: new RegExp(["^(server|src/cli)/", server, screen, packages("undici")].join("|")),
    agentTools: new RegExp(["^(server|src/cli)/", server, screen, packages("undici")].join("|")),
    server: new RegExp(["^mcp/", protocol, packages("undici")].join("|")),
  },
  package: {
    action: new RegExp(["^(server|mcp)/", server, screen, protocol].join("|")),
    library: new RegExp(["^(server|mcp|src/cli)/", server, screen, protocol, packages("undici")].join("|")),
  },
};

/** Throws if a bundle of a target contains a module that its program must load later or not at all. */
export function checkContents(target, results) {
  const faults = Object.entries(forbidden[target]).flatMap(([bundle, inputs]) =>
    Object.keys(results[bundle].metafile.inputs)
      .filter((input) => inputs.test(input))
      .map((input) => `${bundle} has ${input} inside.`),
  );
  if (faults.length > 0)
    throw new Error([...faults, "Build the modules that need it into separate files."].join("\n"));
}

/**
 * Waits until all promises of an object have settled. Returns an object with their values. Throws an error if a
 * promise has failed.
 */
export async function allOf(promises) {
  await Promise.allSettled(Object.values(promises));
  const values = await Promise.all(Object.values(promises));
  return Object.fromEntries(Object.keys(promises).map((name, at) => [name, values[at]]));
}

/**
 * Returns the built files, relative to `folder`, each with the list of the source files that it contains at
 * least in part.
 */
export function bundlesOf(results, folder = ".") {
  const outputs = Object.values(results)
    .flat()
    .flatMap(({ metafile }) => Object.entries(metafile.outputs));
  return Object.fromEntries(
    outputs
      .map(([file, { inputs }]) => [relative(folder, file).replaceAll(sep, "/"), namesOf(inputs)])
      .sort(),
  );
}

const namesOf = (inputs) =>
  Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([name]) => name)
    .sort();

/** Returns the folders of the packages that these bundles contain at least in part. */
export function packageFoldersOf(bundles) {
  const inputs = Object.values(bundles).flat();
  const folders = inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)].sort();
}

/** Writes the notices `others`, and the licences of all packages that are inside the bundles, to `file`. */
export async function writeNotices(file, bundles, ...others) {
  const notices = await Promise.all(packageFoldersOf(bundles).map(noticeOf));
  await writeFile(file, [...others, ...notices].join(`\n${"-".repeat(80)}\n\n`));
}

async function noticeOf(folder) {
  const { name, version: its, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${its} (${license})\n`, ...texts].join("\n");
}

const readJson = async (file) => JSON.parse(await readFile(file, "utf8"));

/**
 * Writes a bill of materials in the form of CycloneDX 1.6. It lists the packages that are inside the bundles,
 * and the packages that npm installs in addition. For the same bundles, the bytes are always the same. The hash
 * of a package is the hash of its tarball.
 */
export async function writeBillOfMaterials(file, bundles) {
  const { dependencies, optionalDependencies } = await readJson("package.json");
  await write(file, bundles, { dependencies, optionalDependencies, components: [] });
}

/**
 * Writes the bill of materials of an executable. npm installs no additional packages for it. It contains the
 * Node that runs this script.
 */
export async function writeBillOfExecutable(file, bundles) {
  const { node: version } = process.versions;
  const ref = `pkg:github/nodejs/node@v${version}`;
  const licenses = [{ license: { id: "MIT" } }];
  const node = { type: "platform", "bom-ref": ref, name: "node", version, licenses, purl: ref };
  await write(file, bundles, { dependencies: {}, optionalDependencies: {}, components: [node] });
}

async function write(file, bundles, { dependencies, optionalDependencies, components }) {
  const [own, { packages: locked }] = await Promise.all([
    readJson("package.json"),
    readJson("package-lock.json"),
  ]);
  const installed = Object.keys({ ...dependencies, ...optionalDependencies }).map(folderOf);
  const bundled = packageFoldersOf(bundles);
  const found = await Promise.all([...new Set([...bundled, ...installed])].sort().map(readPackage));
  const refsOf = (folders) =>
    new Set(found.flatMap(({ folder, manifest }) => (folders.includes(folder) ? refOf(manifest) : [])));
  const optional = Object.keys(optionalDependencies).map(folderOf);
  const refs = { bundled: refsOf(bundled), installed: refsOf(installed), optional: refsOf(optional) };
  const byRef = new Map(
    found.map(({ folder, manifest }) => [
      refOf(manifest),
      { ...componentOf(manifest, refs), hashes: [{ alg: "SHA-512", content: hashOf(folder, locked) }] },
    ]),
  );
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", ...identityOf(own), description: own.description } },
    components: [...components, ...byRef.values()],
    dependencies: dependenciesOf(own, found),
    compositions: [
      { aggregate: "complete", assemblies: [refOf(own)] },
      {
        aggregate: "incomplete",
        dependencies: [...components.map((one) => one["bom-ref"]), ...refs.installed].sort(),
      },
    ],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`;
  const { $schema, bomFormat, specVersion, ...rest } = bill;
  const whole = { $schema, bomFormat, specVersion, serialNumber, ...rest };
  await writeFile(file, `${JSON.stringify(whole, null, 1)}\n`);
}

const folderOf = (name) => `node_modules/${name}`;

const readPackage = async (folder) => ({ folder, manifest: await readJson(join(folder, "package.json")) });

const refOf = ({ name, version }) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

function identityOf(manifest) {
  const [, group, name = manifest.name] = /^(@[^/]+)\/(.*)$/.exec(manifest.name) ?? [];
  const ref = refOf(manifest);
  return {
    "bom-ref": ref,
    ...(group && { group }),
    name,
    version: manifest.version,
    licenses: licencesOf(manifest),
    purl: ref,
  };
}

/**
 * Returns the licences of a package: one SPDX licence, or an expression of several. Throws an error for a package that
 * states no licence.
 */
function licencesOf({ name, license }) {
  if (typeof license !== "string")
    throw new Error(`${name} states no licence. Find its licence, and add it here.`);
  return / (AND|OR|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

function componentOf(manifest, { bundled, installed, optional }) {
  const ref = refOf(manifest);
  const ways = [bundled.has(ref) && "bundled", installed.has(ref) && "installed"].filter(Boolean);
  return {
    type: "library",
    ...identityOf(manifest),
    scope: optional.has(ref) ? "optional" : "required",
    properties: ways.map((value) => ({ name: "innkeep:inclusion", value })),
  };
}

/** Returns the hash that npm checks when it installs the package. */
function hashOf(folder, locked) {
  const [, digest] = /^sha512-(\S+)$/.exec(locked[folder]?.integrity ?? "") ?? [];
  if (digest === undefined) throw new Error(`package-lock.json has no hash of ${folder}. Run npm install.`);
  return Buffer.from(digest, "base64").toString("hex");
}

/** Returns the dependencies between the packages of the bill. */
function dependenciesOf(own, found) {
  const byFolder = new Map(found.map(({ folder, manifest }) => [folder, refOf(manifest)]));
  const lines = found.map(({ folder, manifest }) => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    return [refOf(manifest), names.flatMap((name) => byFolder.get(resolved(folder, name, byFolder)) ?? [])];
  });
  const needed = new Map([[refOf(own), [...new Set(byFolder.values())]], ...lines]);
  return [...needed].map(([ref, dependsOn]) => ({ ref, dependsOn: [...new Set(dependsOn)].sort() }));
}

/** Returns the folder of the package `name`, as Node finds it for an import in `folder`. */
function resolved(folder, name, byFolder) {
  const inside = join(folder, folderOf(name));
  if (byFolder.has(inside)) return inside;
  const end = folder.lastIndexOf("/node_modules/");
  return end < 0 ? folderOf(name) : resolved(folder.slice(0, end), name, byFolder);
}

/** Returns an id that depends only on the text, in the form of a UUID of version 8. */
function uuidOf(text) {
  const digits = hash("sha256", text);
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
  ];
  return [...parts, digits.slice(20, 32)].join("-");
}

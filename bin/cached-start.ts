import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire, wrap } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";

const programs: ReadonlySet<string> = new Set([
  "cli.cjs",
  "mcp.cjs",
  "mcp-session.cjs",
  "undici.cjs",
  "conf.cjs",
  "server.cjs",
]);

/**
 * Runs a built CommonJS file of this folder and gives its exports. Uses the machine code that V8 made of it at an
 * earlier start, from a folder that only this user can write to. Without that code the start only takes longer. Each `use`
 * of a file has code of its own, because the code of one use lacks functions that another one needs.
 */
export function start(name: string, use = ""): Record<string, () => unknown> {
  const file = join(__dirname, name);
  const source = readFileSync(file, "utf8");
  const code = codeFileFor([name, use], source);
  const cachedData = code && read(code);
  const script = new Script(wrap(source), {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (code && (!cachedData || script.cachedDataRejected)) saveLater(script, code);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireFrom(file), module, file, __dirname);
  return module.exports;
}

/** The programs of the package require each other; the ones listed here start in the same way. */
function requireFrom(file: string) {
  const usual = createRequire(file);
  const own = (id: string): unknown =>
    id.startsWith("./") && programs.has(id.slice(2)) ? start(id.slice(2)) : usual(id);
  return Object.assign(own, usual);
}

interface CodeFile {
  readonly folder: string;
  readonly file: string;
}

/**
 * The place of the machine code: its name holds all that the code depends on, such as the hash that the build wrote
 * at the end of the file. Undefined without a folder that only this user can write to.
 */
function codeFileFor([name, use]: readonly [string, string], source: string): CodeFile | undefined {
  const [, hash] = /\/\/([0-9a-f]{64})$/.exec(source.slice(-66)) ?? [];
  if (hash === undefined) return undefined;
  const folder = folderOf(process.env);
  if (folder === undefined || !isPrivate(folder)) return undefined;
  const flags = process.execArgv.join(" ").replace(/[^\w=-]/g, "_");
  const parts = [name, hash.slice(0, 32), process.version, process.arch, flags.slice(0, 80), use];
  return { folder, file: join(folder, parts.join("-")) };
}

function folderOf(env: NodeJS.ProcessEnv): string | undefined {
  const { HOME, LOCALAPPDATA } = env;
  if (process.platform === "win32") return LOCALAPPDATA && join(LOCALAPPDATA, "innkeep", "code");
  const caches = env.XDG_CACHE_HOME || (HOME && join(HOME, ".cache"));
  return caches ? join(caches, "innkeep", "code") : undefined;
}

function isPrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
  } catch {
    return false;
  }
}

/** The length and the checksum stand before the code, because V8 does not notice a changed byte. */
const headerBytes = 8;

function read({ file }: CodeFile): Buffer | undefined {
  try {
    const kept = readFileSync(file);
    const data = kept.subarray(headerBytes);
    const isWhole = kept.readUInt32LE(0) === data.length && kept.readUInt32LE(4) === crc32(data);
    return isWhole ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the code after the start and at the end: by then everything that a start needs is compiled. */
function saveLater(script: Script, code: CodeFile): void {
  let isKept = false;
  const keep = () => {
    if (!isKept) write(script.createCachedData(), code);
    isKept = true;
  };
  setTimeout(keep, 1_000).unref();
  process.once("exit", keep);
}

const mostFiles = 12;

function write(data: Buffer, { folder, file }: CodeFile): void {
  try {
    const header = Buffer.alloc(headerBytes);
    header.writeUInt32LE(data.length, 0);
    header.writeUInt32LE(crc32(data), 4);
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, Buffer.concat([header, data]), { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
    const names = readdirSync(folder);
    if (names.length <= mostFiles) return;
    for (const name of names) if (join(folder, name) !== file) rmSync(join(folder, name), { force: true });
  } catch {
    // The next start is as slow as this one.
  }
}

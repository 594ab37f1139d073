import { type FileHandle, open } from "node:fs/promises";
import type { Identity } from "../secrets/age/age-keys.ts";
import { pagesIn } from "../store/engine/sqlite/log-frames.ts";
import { DamagedCopy, type LinkHeader, readLink, unseal } from "./link.ts";
import { generationsFolder, type LinkName } from "./names.ts";
import { MissingCopy, type Place } from "./places/place.ts";
import type { RestorePoint } from "./restore-points.ts";

/** How many links are fetched at the same time. */
const atOnce = 4;

/** A link of the wanted chain is missing or damaged. */
export class BrokenChain extends Error {
  readonly link: LinkName;

  constructor(link: LinkName, cause: Error) {
    super(cause.message, { cause });
    this.name = "BrokenChain";
    this.link = link;
  }
}

interface Rebuilding {
  readonly place: Place;
  readonly identities: readonly Identity[];
  /** A file that does not exist. */
  readonly file: string;
}

/**
 * Builds the database file of a point from its links, after checking the hash of each link and that it follows the one before.
 * Gives the folder of the copies of files. Throws BrokenChain.
 */
export async function rebuildFile(
  point: RestorePoint,
  { place, identities, file }: Rebuilding,
): Promise<{ readonly files: string }> {
  const handle = await open(file, "wx", 0o600);
  try {
    const chain = createChainCheck();
    let last: LinkHeader | undefined;
    for await (const { link, bytes } of fetched(place, point)) {
      const { header, hash, sealed } = await orBroken(link, readLink(link.name, bytes));
      chain.follow(link, header, hash);
      await write(handle, header, await orBroken(link, unseal(link.name, sealed, identities)));
      last = header;
    }
    if (!last) throw new Error("There are no links to restore.");
    await finish(handle, last);
    return { files: last.files };
  } finally {
    await handle.close();
  }
}

async function orBroken<Result>(link: LinkName, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof DamagedCopy || error instanceof MissingCopy ? new BrokenChain(link, error) : error;
  }
}

/** Follows the links from the first one. */
function createChainCheck() {
  const hashes = new Set([""]);
  let end: Pick<LinkHeader, "kind" | "run" | "to"> = { kind: "base", run: "", to: 0 };
  return {
    follow(link: LinkName, header: LinkHeader, hash: string): void {
      // A link that a store has written late, after its server was killed, may come twice: with fewer and with more frames.
      const isKnown = hashes.has(header.previous) && (hashes.size === 1) === (header.previous === "");
      const begins = header.kind === "log" && (end.kind === "base" || header.run !== end.run);
      const goesOn = begins ? header.from === 0 : header.kind === end.kind && header.from <= end.to;
      if (!isKnown || !goesOn) {
        const fault = new DamagedCopy(link.name, "does not follow the link before it: one is missing");
        throw new BrokenChain(link, fault);
      }
      hashes.add(hash);
      end = header;
    },
  };
}

async function write(handle: FileHandle, header: LinkHeader, bytes: Buffer): Promise<void> {
  if (header.kind === "base") return writeAt(handle, bytes, header.from);
  const pages = new Map<number, Buffer>();
  for (const { page, content } of pagesIn(bytes, header.pageSize)) pages.set(page, content);
  for (const [page, content] of pages) await writeAt(handle, content, (page - 1) * header.pageSize);
}

async function finish(handle: FileHandle, { databasePages, pageSize }: LinkHeader): Promise<void> {
  await handle.truncate(databasePages * pageSize);
  await handle.sync();
}

async function writeAt(handle: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, from + done)).bytesWritten;
}

/** The links in their order, a few of them fetched ahead. */
async function* fetched(place: Place, { generation, links }: RestorePoint) {
  const fetch = (link: LinkName) => {
    const bytes = place.get(`${generationsFolder}/${generation}/${link.name}`);
    // It is awaited later.
    bytes.catch(() => {});
    return { link, bytes };
  };
  const ahead = links.slice(0, atOnce).map(fetch);
  for (let next = atOnce; ; next++) {
    const first = ahead.shift();
    if (!first) return;
    const upcoming = links[next];
    if (upcoming) ahead.push(fetch(upcoming));
    yield { link: first.link, bytes: await orBroken(first.link, first.bytes) };
  }
}

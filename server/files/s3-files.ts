import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { ReceivedFile } from "../../src/contract/received-file.ts";
import type { S3Settings } from "../settings/settings.ts";
import { assertName, isName } from "./file-name.ts";
import { type Files, FilesUnavailable } from "./files.ts";
import { readListing } from "./listing.ts";
import type { PlaceMark } from "./place-mark.ts";
import { readObject } from "./reading.ts";
import { createS3Client } from "./s3-client.ts";
import { S3Refusal, textOf } from "./s3-refusal.ts";
import type { S3Answer, SendToS3 } from "./s3-request.ts";
import { createTemporaryFolder, settledBefore } from "./temporary-folder.ts";

/**
 * Keeps files in an S3 store as `files/<sha256>`. Temporary files are in the local `folder`: a file is sent when it has
 * arrived whole, in one PUT with its hash, which the store checks.
 */
export function createS3Files(folder: string, place: S3Settings, send = createS3Client(place)): Files {
  const temporary = createTemporaryFolder(folder);
  const size = (sha256: string) => sizeOf(send, nameOf(sha256));
  return {
    ...temporary.files,
    async keep(received) {
      if (!(await temporary.isNew(received, () => size(received.sha256)))) return;
      await put(send, received);
      await rm(received.path, { force: true });
    },
    open: async (sha256, span) => readObject(send, nameOf(sha256), span),
    size: async (sha256) => size(sha256),
    async remove(sha256) {
      done(await send({ method: "DELETE", name: nameOf(sha256) }));
    },
    setAside: (sha256) => setAside(send, place, sha256),
    settled: () => settled(send, place),
  };
}

/** The mark of a store is the object `deployment`. */
export function createStoreMark(place: S3Settings, send = createS3Client(place)): PlaceMark {
  return {
    isTried: true,
    async read() {
      const { status, body } = await send({ method: "GET", name: markName });
      return status === 404 ? void body.destroy() : textOf(body);
    },
    async write(id) {
      const bytes = Buffer.from(id);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const body = {
        size: bytes.length,
        sha256,
        read: async function* () {
          yield bytes;
        },
      };
      done(await send({ method: "PUT", name: markName, body }));
    },
    async holdsFiles() {
      for await (const page of pagesOf(send, place)) if (page.length > 0) return true;
      return false;
    },
  };
}

const markName = "deployment";

function nameOf(sha256: string): string {
  assertName(sha256);
  return `files/${sha256}`;
}

async function put(send: SendToS3, { path, size, sha256 }: ReceivedFile): Promise<void> {
  const body = { size, sha256, read: () => createReadStream(path) };
  done(await send({ method: "PUT", name: nameOf(sha256), body }));
}

async function sizeOf(send: SendToS3, name: string): Promise<number | undefined> {
  const answer = await send({ method: "HEAD", name });
  done(answer);
  return answer.status === 404 ? undefined : Number(answer.headers["content-length"]);
}

async function setAside(send: SendToS3, { bucket, prefix }: S3Settings, sha256: string): Promise<void> {
  const headers = { "x-amz-copy-source": `/${bucket}/${prefix}${nameOf(sha256)}` };
  const copied = await send({ method: "PUT", name: `damaged/${sha256}`, headers });
  // A copy may fail after the head of the answer was sent.
  const text = await textOf(copied.body);
  if (!text.includes("<CopyObjectResult"))
    throw new FilesUnavailable(new S3Refusal(copied.status, "CopyFailed"));
  done(await send({ method: "DELETE", name: nameOf(sha256) }));
}

async function* settled(send: SendToS3, place: S3Settings): AsyncGenerator<string[]> {
  const before = settledBefore();
  for await (const page of pagesOf(send, place)) {
    const names = page.filter(({ changedAt }) => changedAt < before).map(({ name }) => name);
    if (names.length > 0) yield names;
  }
}

interface Kept {
  readonly name: string;
  readonly changedAt: number;
}

/** The kept files of the store, in pages. */
async function* pagesOf(send: SendToS3, { prefix }: S3Settings): AsyncGenerator<Kept[]> {
  const folder = `${prefix}files/`;
  for (let next: string | undefined; ; ) {
    const query = {
      ...{ "list-type": "2", prefix: folder },
      ...(next === undefined ? {} : { "continuation-token": next }),
    };
    const page = readListing(await textOf((await send({ method: "GET", name: "", query })).body));
    yield page.objects
      .map(({ key, changedAt }) => ({ name: key.slice(folder.length), changedAt }))
      .filter(({ name }) => isName(name));
    next = page.next;
    if (next === undefined) return;
  }
}

/** Gives the connection back. */
function done({ body }: S3Answer): void {
  body.on("error", () => {});
  body.resume();
}

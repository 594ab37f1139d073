import { createHash } from "node:crypto";
import { readListing } from "../../files/s3/listing.ts";
import { createS3Client } from "../../files/s3/s3-client.ts";
import { textOf } from "../../files/s3/s3-refusal.ts";
import type { S3Answer, SendToS3 } from "../../files/s3/s3-request.ts";
import type { S3Settings } from "../../settings/settings.ts";
import { type Listed, MissingCopy, type Place } from "./place.ts";

/** Keeps copies in an S3 store. */
export function createS3Place(settings: S3Settings, send = createS3Client(settings)): Place {
  return {
    async put(name, bytes) {
      const body = {
        size: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        read: async function* () {
          yield bytes;
        },
      };
      done(await send({ method: "PUT", name, body }));
    },
    async get(name) {
      const { status, body } = await send({ method: "GET", name });
      if (status === 404) {
        body.destroy();
        throw new MissingCopy(name);
      }
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    async list(folder) {
      const files: Listed[] = [];
      const folders: string[] = [];
      const prefix = folder === "" ? settings.prefix : `${settings.prefix}${folder}/`;
      for (let next: string | undefined; ; ) {
        const query = {
          ...{ "list-type": "2", prefix, delimiter: "/" },
          ...(next === undefined ? {} : { "continuation-token": next }),
        };
        const page = readListing(await textOf((await send({ method: "GET", name: "", query })).body));
        for (const { key, changedAt } of page.objects)
          files.push({ name: key.slice(prefix.length), changedAt });
        folders.push(...page.folders.map((inner) => inner.slice(prefix.length, -1)));
        next = page.next;
        if (next === undefined) return { files, folders };
      }
    },
    remove: (names) => remove(send, names),
  };
}

/** How many files are deleted at the same time. */
const removedAtOnce = 4;

async function remove(send: SendToS3, names: readonly string[]): Promise<void> {
  const failures: unknown[] = [];
  const removeOne = async (name: string) => done(await send({ method: "DELETE", name }));
  for (let at = 0; at < names.length; at += removedAtOnce)
    await Promise.all(
      names
        .slice(at, at + removedAtOnce)
        .map((name) => removeOne(name).catch((error) => void failures.push(error))),
    );
  if (failures.length > 0) throw failures[0];
}

/** Gives the connection back. */
function done({ body }: S3Answer): void {
  body.on("error", () => {});
  body.resume();
}

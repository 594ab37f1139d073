import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import * as vectors from "cctv-age";
import { describe, expect, it } from "vitest";
import { AgeFault } from "../../../server/secrets/age.ts";
import { decryptedBytes } from "../../support/files/decrypted-bytes.ts";

/** The vectors of the format for keys like ours. The others are for passphrases, other kinds of keys, and text armor. */
const ours = Object.entries(vectors)
  .filter(([name, bytes]) => name !== "default" && bytes instanceof Uint8Array)
  .map(([name, bytes]) => ({ name, ...parse(Buffer.from(bytes)) }))
  .filter(
    ({ fields }) =>
      fields.identity?.startsWith("AGE-SECRET-KEY-1") && !("armored" in fields) && !("passphrase" in fields),
  );

const kinds: Readonly<Record<string, string>> = {
  "header failure": "header",
  "HMAC failure": "header",
  "no match": "other key",
  "payload failure": "content",
};

describe("the test vectors of the age project", () => {
  it("are more than 50", () => expect(ours.length).toBeGreaterThan(50));

  it.each(ours)("are decrypted, or refused for the stated reason: $name", async ({ fields, file }) => {
    const end = await decryptedBytes(file, fields.identity ?? "").catch((error) => error);
    if (fields.expect === "success") {
      expect(createHash("sha256").update(end).digest("hex")).toBe(fields.payload);
      return;
    }
    expect(end).toBeInstanceOf(AgeFault);
    expect(end.kind).toBe(kinds[fields.expect ?? ""]);
  });
});

function parse(bytes: Buffer) {
  const end = bytes.indexOf("\n\n");
  const lines = bytes.toString("latin1", 0, end).split("\n");
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const [name = "", value = ""] = line.split(/: (.*)/s);
    fields[name] = value;
  }
  const file = bytes.subarray(end + 2);
  return { fields, file: fields.compressed === "zlib" ? inflateSync(file) : file };
}

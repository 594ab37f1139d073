import { createHash, randomBytes } from "node:crypto";
import type { Naming } from "./fields.ts";

/**
 * Makes the new ids and names of one import. The same old one always gives the same new one, so no list of them is kept in
 * memory. Without the random salt nobody can tell them, so a file cannot name anything that is not in it.
 */
export function newNames(): Pick<Naming, "idOf" | "uploadOf"> {
  const salt = randomBytes(32);
  const hashOf = (what: string, old: string) =>
    createHash("sha256").update(salt).update(`${what}:${old}`).digest();
  return {
    idOf: (old) => {
      const bytes = Buffer.from(old.replaceAll("-", ""), "hex");
      const sixBits = (bytes[10] ?? 0) & 0xfc;
      hashOf("id", old).copy(bytes, 10, 0, 6);
      // An id begins with its time and its number among those of the same time: new ids keep that order.
      bytes[10] = sixBits | ((bytes[10] ?? 0) & 0x03);
      return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    uploadOf: (old) => hashOf("upload", old).toString("base64url") + (/\.[a-z0-9]+$/.exec(old)?.[0] ?? ""),
  };
}

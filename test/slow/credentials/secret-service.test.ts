import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";
import { hasSecretService, runInSession } from "../../support/programs/secret-service.ts";

const token = "sdt_0123456789abcdefghijABCDEFGHIJ012345";
const server = "http://127.0.0.1:4700";

/** With a Secret Service the secret is in the keyring, without one in a file. */
const ways = hasSecretService
  ? [{ place: "the keyring of a real Secret Service", keyring: true }]
  : [{ place: "the file that only its owner reads, without a Secret Service", keyring: false }];

const stored = [{ argv: ["auth", "set", "device-token", "--no-check"], input: token }];

/** Every file of a home folder that contains the token in plain text. */
async function plainFiles(home: string): Promise<string[]> {
  const files = await filesIn(home);
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(file, "latin1") })),
  );
  return texts.flatMap(({ file, text }) => (text.includes(token) ? [file] : []));
}

describe.each(ways)("a credential that is stored in $place", ({ keyring }) => {
  it("is stored in no other place", async () => {
    const home = await temporaryFolder();
    const { said } = await runInSession(home, stored, { keyring });
    const file = join(home, ".config/innkeep/credentials.json");
    expect(said).toContain(`Stored the device token for ${server} (${keyring ? "keychain" : file}).`);
    expect(await plainFiles(home)).toEqual(keyring ? [] : [file]);
  });

  it("can be read by commands", async () => {
    const home = await temporaryFolder();
    const commands = [
      ...stored,
      { argv: ["auth", "status", "--json", "--fields", "kind,source"] },
      { argv: ["auth", "token", "device-token"] },
    ];
    const { printed } = await runInSession(home, commands, { keyring });
    const source = keyring ? "keychain" : join(home, ".config/innkeep/credentials.json");
    expect(JSON.parse(printed[1] ?? "").items).toContainEqual({ kind: "deviceToken", source });
    expect(printed[2]).toBe(`${token}\n`);
  });

  it("is deleted after logout", async () => {
    const home = await temporaryFolder();
    const commands = [...stored, { argv: ["auth", "logout"] }, { argv: ["auth", "token", "device-token"] }];
    const { printed, said } = await runInSession(home, commands, { keyring });
    expect(printed.slice(1)).toEqual(["deviceToken\n", ""]);
    expect(said).toContain("This request needs a device token.");
    expect(await plainFiles(home)).toEqual([]);
  });
});

import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { KeychainError } from "../../src/credentials/keychain.ts";
import { createStore } from "../../src/credentials/store.ts";
import { fakeKeychain } from "../support/clients/fake-keychain.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";

const here = "https://here.example";
const there = "https://there.example";
const secret = "sdk_0123456789abcdefghijABCDEFGHIJ012345";

async function storeWith(
  keychain = async (): Promise<ReturnType<typeof fakeKeychain> | undefined> => undefined,
  name = "",
) {
  const folder = join(await temporaryFolder(), name);
  return { folder, store: createStore({ folder, keychain, onSlowKeychain: () => {} }) };
}

describe("the store of credentials", () => {
  it("finds a secret by origin and kind", async () => {
    const { store } = await storeWith();
    await store.put({ origin: here, kind: "appKey" }, secret);
    await store.put({ origin: there, kind: "appKey" }, "sdk_there");
    expect(await store.find({ origin: here, kind: "appKey" })).toEqual({ secret, in: "file" });
    expect(await store.find({ origin: here, kind: "agentToken" })).toBeUndefined();
  });

  it("makes the file and its folder readable only by their owner, even if others could read the file before", async () => {
    const { store, folder } = await storeWith(undefined, "new/folder");
    await store.put({ origin: here, kind: "appKey" }, secret);
    await chmod(store.file, 0o644);
    await store.put({ origin: there, kind: "appKey" }, secret);
    expect((await stat(store.file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(Object.keys(JSON.parse(await readFile(store.file, "utf8")))).toEqual([here, there]);
  });

  it("replaces a secret, and leaves no partial file", async () => {
    const { store, folder } = await storeWith();
    await store.put({ origin: here, kind: "appKey" }, "sdk_old");
    await store.put({ origin: here, kind: "appKey" }, secret);
    expect(await store.find({ origin: here, kind: "appKey" })).toEqual({ secret, in: "file" });
    expect(await filesIn(folder)).toEqual([join(folder, "credentials.json")]);
  });

  it("does not ask the keychain for a secret that is not stored there", async () => {
    const keychain = vi.fn(async () => fakeKeychain());
    const { store } = await storeWith(keychain);
    await store.find({ origin: here, kind: "appKey" });
    await store.put({ origin: here, kind: "appKey" }, secret, "file");
    await store.find({ origin: here, kind: "appKey" });
    await store.remove({ origin: here, kind: "appKey" });
    expect(keychain).not.toHaveBeenCalled();
  });

  it("stores only the beginning of a secret whose whole value is in the keychain", async () => {
    const chain = fakeKeychain();
    const { store, folder } = await storeWith(async () => chain);
    expect(await store.put({ origin: here, kind: "appKey" }, secret)).toBe("keychain");
    expect(JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"))).toEqual({
      [here]: { appKey: { in: "keychain", hint: "sdk_0123…" } },
    });
    expect(await store.find({ origin: here, kind: "appKey" })).toEqual({ secret, in: "keychain" });
  });

  it("moves a secret from the file into the keychain when the secret is stored again", async () => {
    const chain = fakeKeychain();
    const { store, folder } = await storeWith(async () => chain);
    await store.put({ origin: here, kind: "appKey" }, secret, "file");
    await store.put({ origin: here, kind: "appKey" }, secret);
    expect(await readFile(join(folder, "credentials.json"), "utf8")).not.toContain(secret);
  });

  it("does not write a secret to the disk that a slow keychain may still store", async () => {
    const late = new KeychainError("late", true);
    const chain = { ...fakeKeychain(), setPassword: () => Promise.reject(late) };
    const { store, folder } = await storeWith(async () => chain);
    await expect(store.put({ origin: here, kind: "appKey" }, secret)).rejects.toBe(late);
    expect(await filesIn(folder)).toEqual([]);
  });

  it("returns nothing if the keychain no longer has the secret", async () => {
    const { store } = await storeWith(async () => fakeKeychain());
    await store.put({ origin: here, kind: "appKey" }, secret);
    expect(await store.find({ origin: here, kind: "appKey" })).toBeUndefined();
  });

  it("reports an error if the keychain with the secret no longer exists", async () => {
    let chain: ReturnType<typeof fakeKeychain> | undefined = fakeKeychain();
    const { store } = await storeWith(async () => chain);
    await store.put({ origin: here, kind: "appKey" }, secret);
    chain = undefined;
    await expect(store.find({ origin: here, kind: "appKey" })).rejects.toThrow("stored in a keychain");
  });

  it("removes a secret", async () => {
    const { store } = await storeWith();
    await store.put({ origin: here, kind: "appKey" }, secret);
    expect(await store.remove({ origin: here, kind: "appKey" })).toBe(true);
    expect(await store.remove({ origin: here, kind: "appKey" })).toBe(false);
    expect(await store.find({ origin: here, kind: "appKey" })).toBeUndefined();
  });

  it.each(["{", "null", "7", '{"https://here.example": 7}', '{"https://here.example": {"appKey": 7}}'])(
    "reports a file with the content %s as damaged",
    async (text) => {
      const { store, folder } = await storeWith();
      await writeFile(join(folder, "credentials.json"), text);
      await expect(store.find({ origin: here, kind: "appKey" })).rejects.toMatchObject({
        name: "DamagedStoreError",
      });
    },
  );
});

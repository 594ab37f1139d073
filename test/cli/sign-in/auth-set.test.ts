import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { fakeKeychain } from "../../support/clients/fake-keychain.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { listen } from "../../support/network/recording-server.ts";

const key = "sdk_0123456789abcdefghijABCDEFGHIJ012345";
const other = "sdk_another6789abcdefghijABCDEFGHIJ01234";

/** A machine without a keychain, and a server that records the keys it gets. */
async function machine() {
  const shown: unknown[] = [];
  const baseUrl = await listen(({ headers }, response) => {
    shown.push(headers["x-api-key"]);
    response.end("[]");
  });
  const folder = await temporaryFolder();
  const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_CONFIG_DIR: join(folder, "c") });
  const set = (secret = key, options = {}) =>
    line.run(["auth", "set", "api-key", "--no-check"], { stdin: `${secret}\n`, ...options });
  return {
    baseUrl,
    line,
    set,
    shown,
    folder: join(folder, "c"),
    file: join(folder, "c", "credentials.json"),
  };
}

describe("the command auth set", () => {
  it("stores the secret without a keychain in a file that only its owner can read, and prints a warning", async () => {
    const { set, file, folder } = await machine();
    const { stderr, exit } = await set();
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: there is no keychain here. The secret is in plain text in ${file}`);
    expect([(await stat(file)).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("keeps the permissions of an existing folder, and lets only the owner read the file", async () => {
    const { set, file, folder } = await machine();
    await set();
    await chmod(folder, 0o755);
    await chmod(file, 0o644);
    await set();
    expect([(await stat(file)).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o755]);
  });

  it("stores nothing on the disk if there is a keychain", async () => {
    const { set, file, line, baseUrl, shown } = await machine();
    const keychain = fakeKeychain();
    const world = { keychain: async () => keychain };
    const { stderr } = await set(key, { world });
    expect(stderr).toBe(`Stored the app key for ${baseUrl} (keychain).\n`);
    expect(await readFile(file, "utf8")).not.toContain(key);
    await line.run(["faq", "list"], { world });
    expect(shown).toEqual([key]);
  });

  it("does not write to the keychain with --insecure-storage, and deletes the old secret there", async () => {
    const { set, line, file } = await machine();
    const keychain = fakeKeychain();
    const world = { keychain: async () => keychain };
    await set(key, { world });
    await line.run(["auth", "set", "api-key", "--insecure-storage"], { stdin: other, world });
    expect(await readFile(file, "utf8")).toContain(other);
    expect(keychain.entries()).toEqual([]);
  });

  it("stores the secret in the file if the keychain refuses", async () => {
    const { set, file } = await machine();
    const world = { keychain: async () => fakeKeychain({ refuses: true }) };
    expect((await set(key, { world })).exit).toBe(0);
    expect(await readFile(file, "utf8")).toContain(key);
  });

  it("shows only the beginning of a secret", async () => {
    const { set } = await machine();
    const { stdout, stderr } = await set();
    expect(stdout).toBe("sdk_0123…\n");
    expect(stderr).not.toContain(key);
  });

  it("asks on a terminal without showing the typed text", async () => {
    const { line, shown } = await machine();
    const questions: unknown[] = [];
    const typed = (question: string) => {
      questions.push(question);
      return key;
    };
    await line.run(["auth", "set", "api-key", "--no-check"], { terminal: true, typed });
    await line.run(["faq", "list"]);
    expect([questions, shown]).toEqual([["The app key: "], [key]]);
  });

  it.each([
    ["nothing", "\n", "No app key was given."],
    ["two words", "a b", "This is not an app key."],
  ])("refuses %s", async (_, secret, message) => {
    const { set } = await machine();
    expect(await set(secret)).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
  });

  it("says that an environment variable has precedence", async () => {
    const { set } = await machine();
    const { stderr } = await set(key, { env: { INNKEEP_API_KEY: other } });
    expect(stderr).toContain("warning: INNKEEP_API_KEY is set, and is used instead of the stored app key.");
  });

  it("refuses a credential of another kind, and keeps the stored credential", async () => {
    const { line, set, shown } = await machine();
    await set();
    expect(await set("sdt_a")).toMatchObject({
      exit: 2,
      stderr:
        "error: This is not an app key: a secret that begins with sdt_ is a device token.\nTo store it, use `innkeep auth set device-token`.\n",
    });
    await line.run(["faq", "list"]);
    expect(shown).toEqual([key]);
  });

  it("says what a person can do if nothing can be written", async () => {
    const { line, folder } = await machine();
    await writeFile(folder, "a file where the folder is to be");
    expect(await line.run(["auth", "set", "api-key"], { stdin: key })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("Set INNKEEP_CONFIG_DIR to another folder"),
    });
  });
});

describe("the command auth set, before it stores a secret,", () => {
  const kinds = [
    ["api-key", key, "x-api-key", "app key"],
    ["token", "sdm_0123", "authorization", "maintainer token"],
    ["agent-token", "sda_0123", "authorization", "agent token"],
    ["device-token", "sdt_0123", "authorization", "device token"],
  ] as const;

  /** A server that accepts or refuses every credential, and a command line. */
  async function guarded(status: number) {
    const shown: string[] = [];
    const baseUrl = await listen(({ headers }, response) => {
      shown.push(String(headers["x-api-key"] ?? headers.authorization));
      const body = status === 401 ? { error: "No.", code: "invalid_token" } : {};
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    const set = (kind: string, secret: string, ...flags: string[]) =>
      line.run(["auth", "set", kind, ...flags], { stdin: `${secret}\n` });
    const stored = async (kind: string) => (await line.run(["auth", "token", kind])).stdout.trim();
    return { baseUrl, shown, set, stored };
  }

  it.each(kinds)("asks the server whether the %s is valid", async (kind, secret, _, name) => {
    const { baseUrl, set, stored, shown } = await guarded(200);
    const ran = await set(kind, secret);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining(`Stored the ${name} for ${baseUrl}`)]);
    expect(shown.map((one) => one.replace("Bearer ", ""))).toEqual([secret]);
    expect(await stored(kind)).toBe(secret);
  });

  it.each(kinds)(
    "refuses a %s that the server refuses, unless the flag is --no-check",
    async (kind, secret) => {
      const { baseUrl, set, stored, shown } = await guarded(401);
      const ran = await set(kind, secret);
      expect(ran.exit).toBe(4);
      expect(ran.stderr).toContain(`was not stored: ${baseUrl} does not accept it.`);
      expect(ran.stderr + ran.stdout).not.toContain(secret);
      expect(await stored(kind)).toBe("");
      expect(await set(kind, secret, "--no-check")).toMatchObject({ exit: 0 });
      expect([await stored(kind), shown.length]).toEqual([secret, 1]);
    },
  );

  it.each([
    ["is busy", 503],
    ["is no Innkeep", 404],
  ])("prints a warning if the server %s, and stores the secret", async (_, status) => {
    const { set, stored } = await guarded(status);
    const ran = await set("api-key", key);
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.stderr).toContain("warning: the app key is stored, but could not be checked.");
    expect(await stored("api-key")).toBe(key);
  });

  it("prints a warning if no server answers, and stores the secret", async () => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: "http://127.0.0.1:9" });
    const ran = await line.run(["auth", "set", "api-key"], { stdin: key });
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining("could not be checked") });
  });
});

describe("a credential of the command line", () => {
  it("comes from the file of a flag, then the environment, then the stored credentials", async () => {
    const { set, line, shown } = await machine();
    await set("sdk_stored");
    await writeFile(join(line.cwd, "key"), "sdk_file\n");
    const env = { INNKEEP_API_KEY: " sdk_variable " };
    await line.run(["faq", "list", "--api-key-file", "key"], { env });
    await line.run(["faq", "list", "--api-key-file", "-"], { env, stdin: "sdk_stdin\n" });
    await line.run(["faq", "list"], { env });
    await line.run(["faq", "list"]);
    expect(shown).toEqual(["sdk_file", "sdk_stdin", "sdk_variable", "sdk_stored"]);
  });

  it("of one server is not sent to another server", async () => {
    const { set, line } = await machine();
    await set();
    const heard: unknown[] = [];
    const elsewhere = await listen(
      (request, response) => void response.end(`${heard.push(request.headers)}`),
    );
    expect((await line.run(["faq", "list", "--base-url", elsewhere])).exit).toBe(4);
    expect(heard).toEqual([]);
  });

  it("comes from the environment without any access to the keychain or the folder", async () => {
    const { line } = await machine();
    const world = { keychain: () => Promise.reject(new Error("The keychain was touched.")) };
    const env = { INNKEEP_API_KEY: key, INNKEEP_CONFIG_DIR: "/nowhere/at/all" };
    expect((await line.run(["faq", "list"], { env, world })).exit).toBe(0);
  });

  it("causes an error with advice if the keychain does not return it", async () => {
    const { set, line } = await machine();
    await set(key, { world: { keychain: async () => fakeKeychain() } });
    const ran = await line.run(["faq", "list"], {
      world: { keychain: async () => fakeKeychain({ refuses: true }) },
    });
    expect(ran.exit).toBe(4);
    expect(ran.stderr).toContain(
      "The keychain refused the request.\nUnlock the keychain and try again, or set INNKEEP_API_KEY,",
    );
  });

  it("causes an error without the content of the file if the file is damaged", async () => {
    const { set, line, file } = await machine();
    await set();
    await writeFile(file, `{"secret": "${key}"`);
    const ran = await line.run(["faq", "list"], { env: { INNKEEP_DEBUG: "1" } });
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining("is damaged. Remove it") });
    expect(ran.stderr).not.toContain(key.slice(8));
  });
});

describe("the command auth logout", () => {
  it("removes the stored credentials of the present server", async () => {
    const { set, line, shown } = await machine();
    await set();
    expect((await line.run(["auth", "logout", "--json"])).json()).toMatchObject({ removed: ["appKey"] });
    expect((await line.run(["faq", "list"])).exit).toBe(4);
    expect(shown).toEqual([]);
  });

  it("also removes them from the keychain", async () => {
    const { set, line } = await machine();
    const keychain = fakeKeychain();
    const world = { keychain: async () => keychain };
    await set(key, { world });
    await line.run(["auth", "logout", "api-key"], { world });
    expect(keychain.entries()).toEqual([]);
  });

  it("says that nothing is stored", async () => {
    const { line, baseUrl } = await machine();
    expect(await line.run(["auth", "logout"])).toMatchObject({
      exit: 0,
      stdout: "",
      stderr: `Nothing is stored for ${baseUrl}.\n`,
    });
  });
});

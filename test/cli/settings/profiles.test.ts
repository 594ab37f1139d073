import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandLine, createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";

const key = (letter: string) => `sdk_${letter.repeat(36)}`;

/** A server with an FAQ that records the keys that it gets. */
async function faqServer() {
  const keys: (string | undefined)[] = [];
  const baseUrl = await listen(({ headers }, response) => {
    keys.push(headers["x-api-key"]?.toString());
    response.setHeader("content-type", "application/json").end("[]");
  });
  return { baseUrl, keys };
}

const serverOf = async (line: CommandLine, argv: readonly string[] = [], env = {}) =>
  Object(line.run && (await line.run(["config", "list", "--json", ...argv], { env })).json());

describe("a profile of the command line", () => {
  it("defines the server, the app and the key of commands", async () => {
    const [work, home] = [await faqServer(), await faqServer()];
    const line = await createCommandLine();
    for (const [name, server, letter] of [
      ["work", work, "w"],
      ["home", home, "h"],
    ] as const) {
      const flag = ["--profile", name];
      expect(await line.run(["config", "set", "server", server.baseUrl, ...flag])).toMatchObject({ exit: 0 });
      await line.run(["auth", "set", "api-key", "--no-check", ...flag], { stdin: key(letter) });
    }
    await line.run(["faq", "list", "--profile", "home"]);
    await line.run(["faq", "list"], { env: { INNKEEP_PROFILE: "work" } });
    await line.run(["config", "use", "home"]);
    await line.run(["faq", "list"]);
    expect(home.keys).toEqual([key("h"), key("h")]);
    expect(work.keys).toEqual([key("w")]);
  });

  it("keeps two keys of one server separately", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await createCommandLine();
    for (const name of ["first", "second"]) {
      await line.run(["config", "set", "server", baseUrl, "--profile", name]);
      await line.run(["auth", "set", "api-key", "--no-check", "--profile", name], {
        stdin: key(name.charAt(0)),
      });
    }
    for (const name of ["second", "first"]) await line.run(["faq", "list", "--profile", name]);
    expect(keys).toEqual([key("s"), key("f")]);
  });

  it("uses a credential of its server that was stored without a profile", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await createCommandLine();
    await line.run(["auth", "set", "api-key", "--no-check", "--base-url", baseUrl], { stdin: key("p") });
    await line.run(["config", "set", "server", baseUrl, "--profile", "work"]);
    await line.run(["faq", "list", "--profile", "work"]);
    expect(keys).toEqual([key("p")]);
  });

  it("gets no credential of the environment if that credential is for another server", async () => {
    const [own, other] = [await faqServer(), await faqServer()];
    const line = await createCommandLine();
    const flag = ["--profile", "dev"];
    await line.run(["config", "set", "server", own.baseUrl, ...flag]);
    const env = { INNKEEP_BASE_URL: other.baseUrl, INNKEEP_API_KEY: key("e") };
    for (const given of [env, { INNKEEP_API_KEY: key("e") }]) {
      const refused = await line.run(["faq", "list", ...flag], { env: given });
      expect(refused.exit).toBe(4);
      expect(refused.stderr).toContain(
        `INNKEEP_API_KEY is not sent to ${own.baseUrl}: that server comes from the profile dev`,
      );
    }
    await line.run(["auth", "set", "api-key", "--no-check", ...flag], { stdin: key("d") });
    const ran = await line.run(["faq", "list", ...flag], { env });
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining("The stored app key is used.") });
    expect(await line.run(["faq", "list"], { env })).toMatchObject({ exit: 0 });
    expect([own.keys, other.keys]).toEqual([[key("d")], [key("e")]]);
  });

  it.each([
    ["INNKEEP_TOKEN", ["feedback", "list"]],
    ["INNKEEP_AGENT_TOKEN", ["agent", "list"]],
    ["INNKEEP_DEVICE_TOKEN", ["task", "list"]],
    ["INNKEEP_TEST_KEY", ["session", "status", "--api-key-file", "key"]],
    ["INNKEEP_AGENT_TOKEN", ["mcp", "--check"]],
  ])("gets no %s of the environment for `%s`", async (variable, argv) => {
    const asked: unknown[] = [];
    const server = await listen(({ headers, url }, response) => {
      if (/secret-of-elsewhere/.test(JSON.stringify([headers, url]))) asked.push(url);
      response.setHeader("content-type", "application/json").end("{}");
    });
    const line = await createCommandLine();
    await writeFile(join(line.cwd, "key"), key("f"));
    await line.run(["config", "set", "server", server, "--profile", "dev"]);
    const env = {
      [variable]: `${{ INNKEEP_TOKEN: "sdm", INNKEEP_AGENT_TOKEN: "sda" }[variable] ?? "sdt"}_secret-of-elsewhere`,
    };
    const ran = await line.run([...argv, "--profile", "dev"], { env });
    expect(asked).toEqual([]);
    expect(ran.stdout + ran.stderr).toContain(`${variable} is not sent to ${server}`);
  });

  it("gets the credential of the environment if the environment names its server", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await createCommandLine();
    await line.run(["config", "set", "server", `${baseUrl}/`, "--profile", "dev"]);
    const env = { INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: key("e") };
    await line.run(["faq", "list", "--profile", "dev"], { env });
    await line.run(["faq", "list"], { env: { INNKEEP_PROFILE: "dev", INNKEEP_API_KEY: key("v") } });
    expect(keys).toEqual([key("e"), key("v")]);
  });

  it("becomes the current profile if it is the first, and only the user can read its file", async () => {
    const line = await createCommandLine();
    await line.run(["config", "set", "server", "https://one.example"]);
    await line.run(["config", "set", "app", "Larder"]);
    expect((await line.run(["config", "list", "--json"])).json()).toMatchObject({
      items: [
        { name: "default", server: "https://one.example", app: "Larder", console: null, current: true },
      ],
      server: "https://one.example",
      serverFrom: "the profile default (config use)",
      app: "Larder",
    });
    const file = join(line.cwd, "..", ".config", "innkeep", "profiles.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("loses a setting with unset, and is not used after `use none`", async () => {
    const line = await createCommandLine();
    await line.run(["config", "set", "server", "https://one.example"]);
    await line.run(["config", "set", "app", "Larder"]);
    await line.run(["config", "unset", "app"]);
    expect(await serverOf(line)).toMatchObject({ app: null });
    await line.run(["config", "use", "none"]);
    expect(await serverOf(line)).toMatchObject({ serverFrom: "the default" });
  });

  it("is deleted with its credentials after --yes", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await createCommandLine();
    await line.run(["config", "set", "server", baseUrl, "--profile", "work"]);
    await line.run(["auth", "set", "api-key", "--no-check", "--profile", "work"], { stdin: key("w") });
    expect(await line.run(["config", "delete", "work"])).toMatchObject({ exit: 2 });
    const deleted = await line.run(["config", "delete", "work", "--yes", "--json"]);
    expect(deleted.json()).toEqual({ name: "work", deleted: true, credentials: 1 });
    expect(await line.run(["faq", "list", "--base-url", baseUrl])).toMatchObject({ exit: 4 });
    expect(keys).toEqual([]);
  });

  it.each([
    ["an unknown profile", ["faq", "list", "--profile", "wrok"], 'There is no profile "wrok".'],
    ["an unknown profile to use", ["config", "use", "wrok"], "The profiles are work."],
    ["an address without a scheme", ["config", "set", "server", "example"], "The server is not the address"],
    ["an address with a password", ["config", "set", "server", "https://a:b@c.example"], "no password"],
    ["a name with a space", ["config", "set", "app", "L", "--profile", "a b"], '"a b" cannot be the name'],
    [
      "an unknown key",
      ["config", "set", "colour", "red"],
      "must be one of server, app, console, not `colour`.",
    ],
  ])("refuses %s", async (_, argv, message) => {
    const line = await createCommandLine();
    await line.run(["config", "set", "server", "https://one.example", "--profile", "work"]);
    const ran = await line.run(argv);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(message);
  });

  it.each([["use"], ["delete", "--yes"]])("refuses an empty name for `config %s`", async (verb, ...flags) => {
    const line = await createCommandLine();
    await line.run(["config", "set", "server", "https://one.example", "--profile", "work"]);
    await line.run(["config", "use", "work"]);
    const ran = await line.run(["config", verb, "", ...flags]);
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("The name of the profile is empty."),
    });
    expect(await line.run(["config", "list"])).toMatchObject({ exit: 0 });
  });

  it("causes an error with the file name if its file is damaged", async () => {
    const line = await createCommandLine();
    await line.run(["config", "set", "server", "https://one.example"]);
    const file = join(line.cwd, "..", ".config", "innkeep", "profiles.json");
    await writeFile(file, '{"profiles": {"work": 5}}');
    const ran = await line.run(["faq", "list"]);
    expect(ran).toMatchObject({ exit: 1 });
    expect(ran.stderr).toContain(`The file ${file} is damaged.`);
  });
});

describe("the server of a command", () => {
  it("comes from the first source that names one: flags, variables, the project, the profile", async () => {
    const line = await createCommandLine();
    const set = (name: string) =>
      line.run(["config", "set", "server", `https://${name}.example`, "--profile", name]);
    for (const name of ["current", "named", "variable"]) await set(name);
    await line.run(["config", "use", "current"]);
    expect(await serverOf(line)).toMatchObject({ server: "https://current.example" });
    const project = join(line.cwd, "innkeep.json");
    await writeFile(project, '{"server": "https://project.example/"}');
    expect(await serverOf(line)).toMatchObject({ server: "https://project.example", serverFrom: project });
    const env = { INNKEEP_PROFILE: "variable", INNKEEP_BASE_URL: "" };
    expect(await serverOf(line, [], env)).toMatchObject({ server: "https://variable.example" });
    const both = { ...env, INNKEEP_BASE_URL: "https://address.example" };
    expect(await serverOf(line, [], both)).toMatchObject({ server: "https://address.example" });
    const flag = ["--profile", "named"];
    expect(await serverOf(line, flag, both)).toMatchObject({ server: "https://named.example" });
    const flags = [...flag, "--base-url", "https://flag.example"];
    expect(await serverOf(line, flags, both)).toMatchObject({ server: "https://flag.example" });
  });

  it("has only the app of the same source", async () => {
    const line = await createCommandLine();
    await line.run(["config", "set", "server", "https://one.example"]);
    await line.run(["config", "set", "app", "Larder"]);
    expect(await serverOf(line)).toMatchObject({ app: "Larder" });
    expect(await serverOf(line, ["--base-url", "https://two.example"])).toMatchObject({ app: null });
    const env = { INNKEEP_APP: "Lantern" };
    expect(await serverOf(line, ["--base-url", "https://two.example"], env)).toMatchObject({
      app: "Lantern",
    });
  });
});

describe("the file innkeep.json", () => {
  const withProject = async (content: unknown) => {
    const line = await createCommandLine();
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(join(line.cwd, "innkeep.json"), text);
    return line;
  };

  it("is found from a folder within the project", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await withProject({ server: baseUrl });
    await line.run(["auth", "set", "api-key", "--no-check", "--base-url", baseUrl], { stdin: key("s") });
    const cwd = join(line.cwd, "packages", "app");
    await mkdir(cwd, { recursive: true });
    expect(await line.run(["faq", "list"], { world: { cwd } })).toMatchObject({ exit: 0 });
    expect(keys).toEqual([key("s")]);
  });

  it("cannot cause that a given key is sent to a server that this machine does not know", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await withProject({ server: baseUrl });
    const env = { INNKEEP_API_KEY: key("g") };
    const ran = await line.run(["faq", "list"], { env });
    expect(ran.exit).toBe(4);
    expect(ran.stderr).toContain(`INNKEEP_API_KEY is not sent to ${baseUrl}`);
    expect(keys).toEqual([]);
    await line.run(["config", "set", "server", baseUrl, "--profile", "trusted"]);
    expect(await line.run(["faq", "list"], { env })).toMatchObject({ exit: 0 });
    expect(keys).toEqual([key("g")]);
  });

  it("cannot make a server known: nothing is stored for the server, and nobody signs in there", async () => {
    const { baseUrl, keys } = await faqServer();
    const line = await withProject({ server: baseUrl });
    const stored = await line.run(["auth", "set", "api-key", "--no-check"], { stdin: key("n") });
    expect(stored).toMatchObject({ exit: 4, stderr: expect.stringContaining("refuses to store the") });
    expect((await line.run(["auth", "login"])).exit).toBe(4);
    expect(
      (await line.run(["auth", "set", "api-key", "--no-check", "--base-url", baseUrl], { stdin: key("n") }))
        .exit,
    ).toBe(0);
    expect(keys).toEqual([]);
  });

  it("cannot cause that a stored key is sent to another server", async () => {
    const [own, stranger] = [await faqServer(), await faqServer()];
    const line = await withProject({ server: stranger.baseUrl });
    await line.run(["auth", "set", "api-key", "--no-check", "--base-url", own.baseUrl], { stdin: key("o") });
    expect(await line.run(["faq", "list"])).toMatchObject({ exit: 4 });
    expect(stranger.keys).toEqual([]);
  });

  it.each([
    ["a secret", { server: "https://a.example", apiKey: key("x") }, "apiKey contains a secret"],
    ["unknown settings", { colour: 1, size: 2 }, "colour is not known; size is not known"],
    ["an app that is not text", { app: 7 }, "app must be text"],
    ["a list", "[]", "is not a JSON object"],
    ["broken JSON", "{", "is not a JSON object"],
  ])("with %s is refused, and the error does not contain the value", async (_, content, message) => {
    const line = await withProject(content);
    const ran = await line.run(["faq", "list"]);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain(key("x"));
  });

  it("can begin with a byte order mark, and can name a schema", async () => {
    const line = await withProject('\uFEFF{"$schema": "./x.json", "server": "https://bom.example"}');
    expect(await serverOf(line)).toMatchObject({ server: "https://bom.example" });
    expect(await readFile(join(line.cwd, "innkeep.json"), "utf8")).toContain("bom");
  });
});

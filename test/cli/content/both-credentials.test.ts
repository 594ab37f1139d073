import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Answering, answers, startRecordingServer } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A person who has exported an app key and a maintainer token, with a published release note and a draft. */
async function withBoth() {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const scopes = ["changelog:write", "faq:write", "apps:read"];
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes }),
  });
  const create = (version: string, ...flags: string[]) =>
    line.run(["changelog", "create", "--title", version, "--version", version, ...flags]);
  await create("1.0.0", "--publish", "--platform-version", "android=100");
  await create("2.0.0", "--platform-version", "android=200");
  return { line };
}

const create = ["faq", "create", "--question", "How?", "--answer", "So."];

const entry = { id: "01a1fda4-237d-759b-ad89-7cf5663516dc", question: "Q?", answer: "A.", sortOrder: 1 };

const another = { ...entry, id: "01a1fda5-237d-759b-ad89-7cf5663516dc", sortOrder: 2 };

async function writeEntry(cwd: string): Promise<void> {
  await mkdir(join(cwd, "faq"));
  await writeFile(join(cwd, "faq", "sync.md"), "---\nquestion: How do I sync?\n---\nPress Sync.\n");
}

/** A person with an app key and a maintainer token for a server that gives these answers. */
async function recorded(...prepared: readonly Answering[]) {
  const { baseUrl, received } = await startRecordingServer(...prepared);
  const line = await createCommandLine({
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: "sdk_a",
    INNKEEP_TOKEN: "sdm_a",
    INNKEEP_APP: "01a1fda3-dcee-7447-b6de-42c8c3c82f1d",
  });
  return { line, received };
}

describe("with an app key and a maintainer token", () => {
  it.each([
    ["changelog view of a draft", ["changelog", "view", "2.0.0"], /2\.0\.0/],
    ["changelog view of a published note", ["changelog", "view", "1.0.0"], /1\.0\.0/],
    ["changelog list --all", ["changelog", "list", "--all"], /2\.0\.0/],
    ["changelog list --drafts", ["changelog", "list", "--drafts"], /2\.0\.0/],
    ["changelog list", ["changelog", "list"], /1\.0\.0/],
    [
      "changelog export of a draft",
      ["changelog", "export", "--platform", "android", "--version", "2.0.0", "--out", "out", "--dry-run"],
      /200\.txt/,
    ],
    ["changelog edit", ["changelog", "edit", "2.0.0", "--title", "New"], /./],
    ["faq list", ["faq", "list", "--json"], /items|\[/],
    ["faq create", ["faq", "create", "--question", "How?", "--answer", "So."], /./],
  ])("the command %s uses the credential that it needs", async (_, argv, shown) => {
    const { line } = await withBoth();
    const ran = await line.run(argv);
    expect(ran).toMatchObject({ exit: 0, stdout: expect.stringMatching(shown) });
  });

  it("the command faq create uses the token if the key can only read", async () => {
    const refused = answers(403, { error: "This key may not write the FAQ.", code: "insufficient_scope" });
    const list = answers(200, [entry], { etag: '"one"' });
    const made = answers(201, { id: "7", question: "How?", answer: "So.", sortOrder: 1 });
    const { line, received } = await recorded(refused, list, list, made);
    expect(await line.run(create)).toMatchObject({ exit: 0 });
    expect(received.map(({ headers }) => headers.authorization ?? headers["x-api-key"])).toEqual([
      "sdk_a",
      "sdk_a",
      "Bearer sdm_a",
      "Bearer sdm_a",
    ]);
  });

  it.each([
    ["one was added", [entry], [entry, another]],
    ["one was changed", [entry], [{ ...entry, answer: "B." }]],
    ["one was deleted", [entry, another], [another]],
  ])(
    "the command faq create uses the token even if %s between its two reads of the entries",
    async (_, first, second) => {
      const refused = answers(403, { error: "This key may not write the FAQ.", code: "insufficient_scope" });
      const lists = [answers(200, first, { etag: '"one"' }), answers(200, second, { etag: '"two"' })];
      const made = answers(201, { id: "7", question: "How?", answer: "So.", sortOrder: 1 });
      const { line, received } = await recorded(refused, ...lists, made);
      expect(await line.run(create)).toMatchObject({ exit: 0 });
      expect(received.at(-1)?.headers).toMatchObject({ authorization: "Bearer sdm_a" });
    },
  );

  it("the command faq push checks the list that it replaces, and not a list that was read later", async () => {
    const refused = answers(403, { error: "This key may not write the FAQ.", code: "insufficient_scope" });
    const empty = answers(200, [], { etag: '"none"' });
    const other = answers(200, [entry], { etag: '"one"' });
    const { line, received } = await recorded(empty, refused, other, empty, refused, empty);
    await writeEntry(line.cwd);
    expect(await line.run(["faq", "push", "--yes"])).toMatchObject({ exit: 5 });
    expect(received.map(({ headers }) => headers.authorization)).not.toContain("Bearer sdm_a");
  });

  describe("if the key may not write the FAQ", () => {
    /** A person with an intake key and a maintainer token for the same app. */
    async function withIntakeKey() {
      const owner = await service.makeUser();
      const app = await service.makeApp(owner, { name: "Pocket Atlas" });
      const other = await service.makeApp(owner, { name: "Other" });
      const scopes = ["faqs:read", "faqs:write", "apps:read"];
      const token = await service.makeToken(owner, "maintainer", { scopes });
      const line = await createCommandLine({
        INNKEEP_BASE_URL: service.baseUrl,
        INNKEEP_API_KEY: await service.makeKey(app.id, "intake"),
        INNKEEP_TOKEN: token,
        INNKEEP_APP: app.id,
      });
      await writeEntry(line.cwd);
      const faq = async ({ key }: { readonly key: string }, question?: string) => {
        const body = question === undefined ? undefined : { question, answer: "So." };
        const headers = { "x-api-key": key };
        const method = body ? "POST" : "GET";
        return (await service.request(method, "/api/v1/faqs/remote", { headers, body })).body;
      };
      return { line, app, other, faq };
    }

    it("faq push, pull and diff and changes of one entry use the token", async () => {
      const { line, app, faq } = await withIntakeKey();
      // Two empty lists do not show that the key and the token find the same app.
      expect(await line.run(["faq", "push", "--yes"])).toMatchObject({ exit: 5 });
      expect(await line.run(create)).toMatchObject({ exit: 5 });
      await faq(app, "How do I begin?");
      expect(await line.run(create)).toMatchObject({ exit: 0 });
      expect(await line.run(["faq", "pull"])).toMatchObject({ exit: 0 });
      expect(await line.run(["faq", "diff"])).toMatchObject({ exit: 0 });
      expect(await line.run(["faq", "push", "--yes"])).toMatchObject({ exit: 0 });
      const listed = await line.run(["faq", "list"]);
      const id =
        listed.stdout
          .split("\n")
          .find((text) => text.includes("How do I sync?"))
          ?.slice(0, 36) ?? "";
      expect(await line.run(["faq", "edit", id, "--answer", "Press it."])).toMatchObject({ exit: 0 });
      expect(await line.run(["faq", "pull"])).toMatchObject({ exit: 0 });
      expect(await readFile(join(line.cwd, "faq", "sync.md"), "utf8")).toContain("Press it.");
    });

    it.each([
      ["has no entry", false],
      ["has entries", true],
    ])("faq create changes no other app that the token finds and that %s", async (_, hasEntries) => {
      const { line, app, other, faq } = await withIntakeKey();
      await faq(app, "How do I begin?");
      if (hasEntries) await faq(other, "How do I begin?");
      const before = await faq(other);
      expect(await line.run(create, { env: { INNKEEP_APP: other.id } })).toMatchObject({ exit: 5 });
      expect(await faq(other)).toEqual(before);
    });
  });
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { reports } from "../../../server/mail/sender-page/store.ts";
import { eventually } from "../../support/eventually.ts";
import { mailOf } from "../../support/mail/arriving-mail.ts";
import { ada, startMailedThread } from "../../support/mail/mailed-thread.ts";

describe("the originals of incoming mails", () => {
  it("are available only to maintainers in a browser: not to viewers, tokens, keys and other teams", async () => {
    const { service, app, take, messages, as } = await startMailedThread();
    await take(mailOf(["Hello."]));
    await take(mailOf(["Away."], { "Auto-Submitted": "auto-replied" }));
    const [{ id }] = await messages();
    const path = `/mail-originals/${id}`;
    const list = `/apps/${app.appId}/automatic-mails`;
    const [maintainer, viewer] = [await as("maintainer"), await as("viewer")];
    expect((await maintainer("GET", path)).status).toBe(200);
    for (const each of [path, list]) expect((await viewer("GET", each)).status).toBe(403);
    const stranger = await service.signIn(await service.makeUser());
    const asked = (headers: Record<string, string>) =>
      service.request("GET", `/api/v1/console${path}`, { headers });
    expect((await asked(stranger)).status).toBe(404);
    const agent = await asked(app.agent);
    expect([401, 403]).toContain(agent.status);
    expect([401, 403]).toContain((await asked(app.key)).status);
    const owner = await app.console("POST", "/tokens", {
      ...{ kind: "maintainer", label: "All", scopes: ["feedback:read", "feedback:write"] },
    });
    expect([401, 403]).toContain((await asked({ authorization: `Bearer ${owner.field("token")}` })).status);
  });

  it("are encrypted on the disk and in the database, and have no public address", async () => {
    const { service, take, page } = await startMailedThread();
    await take(mailOf(["Hello."], { "X-Page": page }));
    const [upload] = await service.deps.database.all<{ name: string; sha256: string }>(
      "SELECT name, sha256 FROM uploads",
    );
    const chunks: Buffer[] = [];
    for await (const chunk of await service.deps.files.open(upload?.sha256 ?? "")) chunks.push(chunk);
    expect(Buffer.concat(chunks).includes("kitchen.example")).toBe(false);
    expect((await fetch(`${service.baseUrl}/uploads/${upload?.name}`)).status).toBe(404);
    const rows = JSON.stringify(await service.deps.database.all("SELECT * FROM mail_originals"));
    expect(rows).not.toContain(page.split("/").at(-1));
  });

  it("are not part of an export", async () => {
    const { app, take } = await startMailedThread();
    await take(mailOf(["Hello."]));
    await take(mailOf(["Away."], { "Auto-Submitted": "auto-replied" }));
    for (const files of ["0", "1"]) {
      const { text } = await app.console("GET", `/apps/${app.appId}/export?files=${files}`);
      expect(text).toContain("Hello.");
      expect(text).not.toMatch(/rfc822|Away\.|innkeep sealed mail/);
    }
  });

  it("count as files of the app, and an answer is stored without its original if no storage is left", async () => {
    const { take, messages, automatic } = await startMailedThread({ settings: { storedBytesPerApp: 500 } });
    await take(mailOf(["Small."]));
    await take(mailOf(["Too large.", "x".repeat(500)]));
    await take(mailOf(["Away.", "x".repeat(500)], { Precedence: "bulk" }));
    expect((await messages()).map((message: object) => "originalUntil" in message)).toEqual([true, false]);
    expect((await automatic()).length).toBe(0);
  });

  it("are sent to browsers one after another, because each can be large", async () => {
    const { service, app, take, messages, automatic } = await startMailedThread();
    const { files } = service.deps;
    for (const text of ["One.", "Two.", "Three."]) await take(mailOf([text], { Precedence: "bulk" }));
    const listed: { id: string }[] = await automatic();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const openFile = files.open;
    const open = vi.spyOn(files, "open").mockImplementation(async (sha256) => {
      await held;
      return openFile(sha256);
    });
    const find = vi.spyOn(reports, "find");
    onTestFinished(() => void vi.restoreAllMocks());

    const taken = listed.map(({ id }) => app.console("POST", `/automatic-mails/${id}/take`));
    await eventually(() => expect(find).toHaveBeenCalledTimes(3));
    await Promise.all(find.mock.results.map(({ value }) => value));
    await new Promise(setImmediate);
    expect(open).toHaveBeenCalledTimes(1);
    release();
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await messages()).toHaveLength(3);
  });

  it("are not listed if a program sent them in the name of a blocked sender", async () => {
    const { app, take, automatic } = await startMailedThread();
    await app.console("POST", `/apps/${app.appId}/blocked-senders`, {
      kind: "domain",
      sender: "spam.example",
    });
    await take(mailOf(["Buy."], { From: "eve@spam.example", Precedence: "bulk" }));
    expect((await automatic()).length).toBe(0);
  });
});

describe("a mail of another person to the reply address", () => {
  const confirmed = async ({ service }: Awaited<ReturnType<typeof startMailedThread>>) =>
    (await service.deps.database.all<{ recipient: string }>("SELECT recipient FROM mail_addresses")).map(
      ({ recipient }) => recipient,
    );

  it.each([
    ["from another address", { From: "eve@evil.example" }, "eve@evil.example"],
    [
      "from an address that contains the right one",
      { From: `"${ada}" <eve@evil.example>` },
      "eve@evil.example",
    ],
    [
      "from the right address, which the mail server doubts",
      { "Authentication-Results": "mx; dmarc=fail" },
      ada,
    ],
    ["without an address", { From: "nobody" }, undefined],
  ])(
    "that is sent %s confirms no address, and has a mark, even after a person accepted it",
    async (_, headers, foreignFrom) => {
      const world = await startMailedThread();
      await world.take(mailOf(["It is me."], headers));
      const isAnswer = (await world.messages()).length === 1;
      if (!isAnswer) {
        const listed = (await world.automatic())[0].id;
        await world.app.console("POST", `/automatic-mails/${listed}/take`);
      }
      const [message] = await world.messages();
      expect(message).toMatchObject({ body: "It is me.", foreignFrom: foreignFrom ?? expect.any(String) });
      expect(await confirmed(world)).toEqual([]);
      await world.take(mailOf(["It is really me."]));
      expect(await confirmed(world)).toEqual([ada]);
    },
  );

  it("with a program's headers still has a mark after a maintainer adds it to the thread", async () => {
    const world = await startMailedThread();
    await world.take(mailOf(["Buy."], { From: "eve@evil.example", Precedence: "bulk" }));
    const listed = (await world.automatic())[0].id;
    await world.app.console("POST", `/automatic-mails/${listed}/take`);
    expect((await world.messages())[0]).toMatchObject({ foreignFrom: "eve@evil.example" });
    expect(await confirmed(world)).toEqual([]);
  });
});

describe("a mail that is attached to an incoming mail", () => {
  const own = (page: string) => [
    ...["From: Larder <feedback@larder.example>", "To: ada@kitchen.example", "MIME-Version: 1.0"],
    ...["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", ""],
    ...(Buffer.from(`Fixed — in 1.2.\n\nYour page:\n${page}\n`)
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
  ];

  it.each([
    ["mail.eml", "message/rfc822"],
    ["mail.eml", "application/octet-stream"],
    ["mail.txt", "text/plain"],
  ])("is not kept as %s of the type %s, because it has the link to the sender's page", async (name, type) => {
    const { take, messages, page } = await startMailedThread();
    const part = (each: string, of: string, lines: readonly string[]) => [
      ...["--b", `Content-Type: ${of}; name="${each}"`],
      ...[`Content-Disposition: attachment; filename="${each}"`, "", ...lines],
    ];
    await take(
      mailOf(
        [
          ...["--b", "Content-Type: text/plain", "", "See the attached mail."],
          ...part(name, type, own(page)),
          ...part("crash.log", "text/plain", ["From: main", "E/App: crash at line 3", ""]),
          "--b--",
        ],
        { "Content-Type": 'multipart/mixed; boundary="b"' },
      ),
    );
    const [answer] = await messages();
    expect(answer.body).toBe(`See the attached mail.\n\n(Attachments that were not kept: ${name})`);
    expect(answer.attachments).toMatchObject([{ name: "crash.log.pdf" }]);
  });
});

describe("texts that are attached to a mail", () => {
  const part = (name: string, lines: readonly string[]) => [
    ...["--b", `Content-Type: text/plain; name="${name}"`],
    ...[`Content-Disposition: attachment; filename="${name}"`, "", ...lines],
  ];
  const mixed = (...parts: readonly (readonly string[])[]) =>
    mailOf([...["--b", "Content-Type: text/plain", "", "See the logs."], ...parts.flat(), "--b--"], {
      "Content-Type": 'multipart/mixed; boundary="b"',
    });

  it("are converted only as long as the message has space for them (rule M14)", async () => {
    const { service, take, messages } = await startMailedThread();
    const creation = vi.spyOn(service.deps.files, "createTemporary");
    const names = Array.from({ length: 20 }, (_, at) => `${at}.log`);
    await take(mixed(...names.map((name) => part(name, [`Log ${name}`]))));
    const [answer] = await messages();
    expect(answer.attachments).toMatchObject(names.slice(0, 3).map((name) => ({ name: `${name}.pdf` })));
    expect(answer.body).toContain(`(Attachments that were not kept: ${names.slice(3).join(", ")})`);
    // One file for each attachment, one for each converted text, and the original.
    expect(creation).toHaveBeenCalledTimes(names.length + 3 + 1);
  });

  it("are not kept if they have more than 100,000 lines (rule M14)", async () => {
    const { take, messages } = await startMailedThread();
    await take(mixed(part("long.log", ["a\n".repeat(100_001)]), part("short.log", ["a\n".repeat(99_000)])));
    const [answer] = await messages();
    expect(answer.attachments).toMatchObject([{ name: "short.log.pdf" }]);
    expect(answer.body).toContain("(Attachments that were not kept: long.log)");
  });
});

describe("a mail that another server has handled", () => {
  it("keeps the mark of that server, which may have left it unread (rule M13)", async () => {
    const { take, messages } = await startMailedThread();
    expect(await take(mailOf(["Hello."]), { begin: async () => undefined })).toBe("unread");
    expect(await messages()).toEqual([]);
  });
});

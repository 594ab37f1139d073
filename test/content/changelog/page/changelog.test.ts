import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the pages of the changelog in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let app: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });

  const address = (part = "") => `/console/changelog/${app.id}${part}`;
  const published = async () =>
    (await service.request("GET", "/api/v1/changelog/remote", { headers: { "x-api-key": app.key } })).body;
  const create = async (values: Record<string, string>) =>
    owner.send(await owner.open(address("/new")), address("/new"), { intent: "save", ...values });
  const draft = async (entry: object = {}) => {
    const body = { title: "Maps", version: "1.2.0", body: "Old.", ...entry };
    return (await world.call("POST", `/apps/${app.id}/changelog`, body)).field("id");
  };
  const send = async (id: string, values: Record<string, string>) =>
    owner.send(await owner.open(address(`/${id}`)), address(`/${id}`), { intent: "save", ...values });

  it("are named release notes in the menu, the title and the link back", async () => {
    const [list, note] = [await owner.open(address()), await owner.open(address(`/${await draft()}`))];
    expect(list.text).toContain("<h1>Release notes</h1>");
    expect(readingOf(note)).toContain("← Release notes");
    for (const page of [list, note]) expect(readingOf(page)).not.toContain("Changelog");
  });

  it("store a new note as a draft", async () => {
    const answer = await create({ title: "Maps", version: "1.2.0", body: "New colours." });
    expect(answer.headers.get("location")).toBe(address("?done=entry-saved"));
    expect(readingOf(await owner.follow(answer))).toMatch(/Maps Draft 1\.2\.0 minor/);
    expect(await published()).toEqual({ entries: [] });
  });

  it.each([
    ["save", "2026-01-20T10:00", "is in the past"],
    ["publish", "2199-12-24T10:00", "is in the future"],
  ])("show a draft again if the button %s contradicts its time", async (intent, publishedAt, fault) => {
    const values = { title: "Maps", version: "1.2.0", body: "New colours.", publishedAt, zone: "UTC" };
    const answer = await create({ ...values, intent });
    expect([answer.status, readingOf(answer)]).toEqual([400, expect.stringContaining(fault)]);
    expect(await published()).toEqual({ entries: [] });
    const id = await draft({ version: "1.3.0" });
    expect((await send(id, { intent, publishedAt, zone: "UTC" })).status).toBe(400);
    expect(await published()).toEqual({ entries: [] });
  });

  it("publish a new note with a time in the past, and keep the time", async () => {
    const values = { title: "Maps", version: "1.2.0", body: "New.", zone: "UTC" };
    await create({ ...values, intent: "publish", publishedAt: "2026-01-20T10:00" });
    expect(await published()).toMatchObject({ entries: [{ publishedAt: "2026-01-20T10:00:00.000Z" }] });
  });

  it("offer to resolve the threads that a note fixes after its publication, but only unfinished ones", async () => {
    const [one, other] = [
      await sendFeedback(service, app.key, { subject: "Crash" }),
      await sendFeedback(service, app.key, { subject: "Done already" }),
    ];
    await world.call("PATCH", `/feedback/${other}`, { status: "resolved" });
    const id = await draft({ body: `New.\n\nFeedback: ${one}\nFeedback: ${other}` });
    const page = await owner.follow(await send(id, { intent: "publish" }));
    expect(readingOf(page)).toContain("1 thread that the note fixes is not resolved. Resolve the thread");
    expect(readingOf(page)).toContain(
      "The release note is published. No sender gets a mail. This server sends no mail.",
    );
    const change = `/console/feedback/${app.id}/change`;
    const resolved = await owner.follow(await owner.send(page, change, { act: "resolve" }));
    expect(readingOf(resolved)).toContain("1 thread resolved. Undo");
    const again = await owner.open(address(`?entry=${id}&mails=0&done=published`));
    expect(again.text).not.toContain(change);
    expect((await owner.open(address("?entry=nothing&mails=x&done=published"))).status).toBe(200);
  });

  it("show the form again if the version already has a note", async () => {
    const id = await draft();
    const answer = await create({ title: "Maps", version: "v1.2.0", body: "New colours." });
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain(
      "There is already a release note of this version. Change that note, or enter another version.",
    );
    expect(answer.text).toContain(`<a href="${address(`/${id}`)}">Open the release note of this version</a>`);
    expect(fieldsOf(formOf(answer, address("/new")))).toMatchObject({ body: "New colours." });
  });

  it("accept a corrected version after a publication was refused because of the version", async () => {
    await draft({ version: "1.5.0" });
    const id = await draft({ version: "1.4.0" });
    await send(id, { intent: "publish" });
    await send(id, { intent: "draft", body: "Newer." });
    const refused = await send(id, { intent: "publish", version: "1.5.0" });
    expect(refused.status).toBe(409);
    const done = await owner.send(refused, address(`/${id}`), { intent: "publish", version: "1.6.0" });
    expect(done.headers.get("location")).toMatch(/[?&]done=published$/);
    expect(await published()).toMatchObject({ entries: [{ version: "1.6.0", body: "Newer." }] });
  });

  it.each([
    ["a number", (number: number) => ({ fixes: `${number}` })],
    ["an id", (_: number, id: string) => ({ fixes: id })],
    ["a line of the text", (_: number, id: string) => ({ body: `Old.\n\nFeedback: ${id}` })],
    [
      "a number, beside a text with an empty line at its end",
      (number: number) => ({
        ...{ fixes: `${number}`, body: "Old.\n" },
      }),
    ],
  ])(
    "show a thread that was named by %s as saved after a publication was refused because of the version",
    async (_, valuesOf) => {
      const id = await sendFeedback(service, app.key, {});
      const path = `/apps/${app.id}/feedback?number=1`;
      const { number } = Object((await world.call("GET", path)).body).items[0];
      await draft({ version: "1.5.0" });
      const note = await draft({ version: "1.4.0" });
      await send(note, { intent: "publish" });
      await send(note, { intent: "draft", title: "New maps" });
      const refused = await send(note, { intent: "publish", version: "1.5.0", ...valuesOf(number, id) });
      expect(refused.status).toBe(409);
      const form = formOf(refused, address(`/${note}`));
      expect(fieldsOf(form)).toMatchObject({ fixes: `#${number}`, body: "Old." });
      const done = await owner.send(refused, address(`/${note}`), { intent: "publish", version: "1.6.0" });
      expect(done.headers.get("location")).toContain("done=published");
    },
  );

  it("save a thread again that was typed as a number on a page from before the first save", async () => {
    await sendFeedback(service, app.key, {});
    await world.call("GET", `/apps/${app.id}/feedback`);
    const note = await draft({ version: "1.4.0" });
    const page = await owner.open(address(`/${note}`));
    for (const title of ["Maps", "New maps"]) {
      const fields = { intent: "draft", title, fixes: "1" };
      const saved = await owner.send(page, address(`/${note}`), { ...fields, once: title.replace(" ", "-") });
      expect(saved.status).toBe(303);
    }
  });

  it("publish a scheduled note now with one button, but not with a new time in the future", async () => {
    const publishedAt = "2199-12-24T10:00:00.000Z";
    const id = await draft({ publishedAt });
    const page = await owner.open(address(`/${id}`));
    expect(page.text).toMatch(/value="publish"[^>]*>Publish now</);
    expect((await send(id, { intent: "publish", publishedAt: "2199-12-25T10:00", zone: "UTC" })).status).toBe(
      400,
    );
    expect(await published()).toEqual({ entries: [] });
    const answer = await send(id, { intent: "publish", title: "New maps" });
    expect(answer.headers.get("location")).toMatch(/[?&]done=published$/);
    const day = service.clock.now().toISOString().slice(0, 10);
    const publishedNow = { title: "New maps", publishedAt: expect.stringContaining(day) };
    expect(await published()).toMatchObject({ entries: [publishedNow] });
    expect((await owner.open(address(`/${id}`))).text).not.toContain('value="publish"');
  });

  describe("with text and a list of changes", () => {
    const lines = { "items.0.type": "fixed", "items.0.text": "Crash" };
    const items = [{ type: "fixed", text: "Crash" }];
    const both = { title: "Maps", version: "1.2.0", body: "New colours.", ...lines };

    it.each([
      ["markdown", { body: "New colours.", items: [] }],
      ["items", { body: "", items }],
    ])("publish only the chosen form %s of a new note", async (bodyFormat, expected) => {
      await create({ ...both, bodyFormat, intent: "publish" });
      expect(await published()).toMatchObject({ entries: [{ bodyFormat, ...expected }] });
    });

    it.each([
      ["markdown", { body: "", bodyFormat: "items", items }, { body: "New colours.", items: [] }],
      ["items", { body: "Old." }, { body: "", items }],
    ])("remove the other form when a note is saved as %s", async (bodyFormat, stored, expected) => {
      const id = await draft(stored);
      const again = await send(id, { ...both, bodyFormat, intent: "preview" });
      expect(fieldsOf(formOf(again, address(`/${id}`)))).toMatchObject(both);
      await send(id, { ...both, bodyFormat, intent: "publish" });
      expect(await published()).toMatchObject({ entries: [{ bodyFormat, ...expected }] });
    });

    const added = [...items, { type: "added", text: "Theirs" }];
    const text = { body: "Mine." };

    it.each([
      {
        ...{ stored: { body: "", bodyFormat: "items", items }, theirs: { items: added }, mine: text },
        ...{
          to: "markdown",
          part: "items",
          label: "The list of changes",
          shown: "fixed: Crash added: Theirs",
        },
        saved: { ...text, items: [] },
      },
      {
        ...{ stored: { body: "Old." }, theirs: { body: "Theirs." }, mine: lines },
        ...{ to: "items", part: "markdown", label: "Text", shown: "Theirs." },
        saved: { body: "", items },
      },
    ])("refuse once to remove the other form that another person has changed: $label", async (one) => {
      const { stored, theirs, mine, to, part, label, shown, saved } = one;
      const id = await draft(stored);
      const read = async () => (await world.call("GET", `/changelog/${id}`)).body;
      const page = await owner.open(address(`/${id}`));
      await world.call("PATCH", `/changelog/${id}`, theirs);
      const values = { ...mine, bodyFormat: to, intent: "save" };
      const refused = await owner.send(page, address(`/${id}`), values);
      expect(readingOf(refused)).toContain(`${label} was changed by somebody else`);
      expect(readingOf(refused)).toContain(`Saved text of ${label} ${shown}`);
      // The conflict is not in the part that is hidden because the other form is chosen.
      expect(refused.text).not.toContain(`data-shown-by="bodyFormat=${part}"`);
      expect(await read()).toMatchObject(theirs);
      expect((await owner.send(refused, address(`/${id}`), { intent: "save" })).status).toBe(303);
      expect(await read()).toMatchObject({ bodyFormat: to, ...saved });
    });

    it("refuse once a text if another person has switched to the list, and then save it", async () => {
      const id = await draft();
      const read = async () => (await world.call("GET", `/changelog/${id}`)).body;
      const page = await owner.open(address(`/${id}`));
      await send(id, { ...lines, bodyFormat: "items" });
      const refused = await owner.send(page, address(`/${id}`), { intent: "save", ...text });
      expect(readingOf(refused)).toContain("What changed was changed by somebody else");
      expect(readingOf(refused)).toContain("The list of changes was changed by somebody else");
      expect(await read()).toMatchObject({ bodyFormat: "items", items });
      expect((await owner.send(refused, address(`/${id}`), { intent: "save" })).status).toBe(303);
      expect(await read()).toMatchObject({ bodyFormat: "markdown", ...text, items: [] });
    });

    it("show and keep a list that another person has changed, also if it is longer than the form", async () => {
      const id = await draft({ bodyFormat: "items", items, body: "" });
      const page = await owner.open(address(`/${id}`));
      const longer = Array.from({ length: 9 }, (_, at) => ({ type: "fixed", text: `Line ${at}` }));
      await world.call("PATCH", `/changelog/${id}`, { items: longer });
      const again = await owner.send(page, address(`/${id}`), { intent: "save", title: " " });
      expect(fieldsOf(formOf(again, address(`/${id}`)))).toMatchObject({ "items.8.text": "Line 8" });
      expect(readingOf(again)).toMatch(/Preview .* Line 8/);
      await owner.send(again, address(`/${id}`), { intent: "save", title: "Mine" });
      const { body } = await world.call("GET", `/changelog/${id}`);
      expect(body).toMatchObject({ title: "Mine", items: longer });
    });

    it("keep the list of an imported note with both, but save no hidden line", async () => {
      const id = await draft({ body: "Old.", bodyFormat: "markdown", items });
      await send(id, {
        title: "New maps",
        "items.1.type": "fixed",
        "items.1.text": "Hidden",
        intent: "publish",
      });
      expect(await published()).toMatchObject({ entries: [{ title: "New maps", body: "Old.", items }] });
    });
  });

  it("mark a published note whose draft is not published, like the list of the FAQ", async () => {
    const id = await draft({ publishedAt: "2026-01-20T10:00:00.000Z" });
    expect(readingOf(await owner.open(address()))).not.toContain("Changes not published");
    await send(id, { intent: "draft", title: "New maps" });
    expect(readingOf(await owner.open(address()))).toContain("Changes not published Published");
  });

  it("publish a new note immediately if the person chooses it", async () => {
    await create({ intent: "publish", title: "Maps", version: "1.2.0", body: "New colours." });
    expect(await published()).toMatchObject({ entries: [{ title: "Maps", body: "New colours." }] });
  });

  it("publish a draft with its last changes", async () => {
    await send(await draft(), { intent: "publish", title: "Quieter maps" });
    expect(await published()).toMatchObject({ entries: [{ title: "Quieter maps", body: "Old." }] });
  });

  it("hide a note from apps until its publication time", async () => {
    const answer = await create({ title: "Later", version: "2.0.0", publishedAt: "2199-01-01T10:00" });
    expect(readingOf(await owner.follow(answer))).toContain("Later Scheduled");
    expect(await published()).toEqual({ entries: [] });
  });

  it("read the publication time in the time zone of the form, also when the clock changes", async () => {
    const at = async (publishedAt: string, zone: string) => {
      const values = { title: "Later", version: `${publishedAt} ${zone}`, publishedAt, zone };
      await create(values);
      const { items } = Object((await world.call("GET", `/apps/${app.id}/changelog`)).body);
      return items.find(({ version }: { readonly version: string }) => version === values.version)
        ?.publishedAt;
    };
    expect(await at("2099-07-01T10:00", "Europe/Berlin")).toBe("2099-07-01T08:00:00.000Z");
    expect(await at("2099-01-01T10:00", "Asia/Calcutta")).toBe("2099-01-01T04:30:00.000Z");
    expect(await at("2027-03-28T02:30", "Europe/Berlin")).toBe("2027-03-28T01:30:00.000Z");
    expect(await at("2099-01-01T10:00", "Nowhere/City")).toBe("2099-01-01T10:00:00.000Z");
    const refused = await create({ title: "X", version: "9", publishedAt: "soon", zone: "Europe/Berlin" });
    expect(readingOf(refused)).toContain("Publication time (Europe/Berlin) must be");
  });

  it("read the publication time in UTC on a server in another time zone", async () => {
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Tokyo";
    try {
      const publishedAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString().slice(0, 16);
      const answer = await create({ title: "Maps", version: "1.2.0", publishedAt, zone: "UTC" });
      expect(answer.headers.get("location")).toBe(address("?done=scheduled"));
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it("show a publication time that another person has changed in the time zone of the form", async () => {
    const id = await draft();
    const path = address(`/${id}`);
    const page = await owner.open(path);
    await world.call("PATCH", `/changelog/${id}`, { publishedAt: "2099-07-01T08:00:00.000Z" });
    const mine = { zone: "Europe/Berlin", publishedAt: "2099-07-02T10:00", intent: "save" };
    const refused = await owner.send(page, path, mine);
    expect(readingOf(refused)).toContain("Saved text of Publication time (Europe/Berlin) 2099-07-01 10:00");
    const other = { zone: "Europe/Berlin", title: " ", intent: "save" };
    const again = await owner.send(page, path, other);
    expect(fieldsOf(formOf(again, path))).toMatchObject({ publishedAt: "2099-07-01T10:00" });
    await owner.send(again, path, { intent: "save", title: "Mine" });
    expect((await world.call("GET", `/changelog/${id}`)).body).toMatchObject({
      ...{ title: "Mine", publishedAt: "2099-07-01T08:00:00.000Z" },
    });
  });

  it("show times in the time zone of the member and in UTC, if the member has chosen a time zone", async () => {
    const setZone = (zone: string) =>
      service.deps.database.write((tx) =>
        tx.run("UPDATE users SET timezone = ? WHERE id = ?", zone, world.owner.id),
      );
    await setZone("Asia/Tokyo");
    const id = await draft({ publishedAt: "2026-10-20T23:30:00.000Z" });
    expect(readingOf(await owner.open(address()))).toContain(
      "21 Oct 2026, 08:30 Asia/Tokyo (20 Oct 2026, 23:30 UTC)",
    );
    const page = await owner.open(address(`/${id}`));
    expect(fieldsOf(formOf(page, address(`/${id}`)))).toMatchObject({
      ...{ publishedAt: "2026-10-21T08:30", zone: "Asia/Tokyo" },
    });
    await owner.send(page, address(`/${id}`), { intent: "save", title: "Same time" });
    expect((await world.call("GET", `/changelog/${id}`)).body).toMatchObject({
      publishedAt: "2026-10-20T23:30:00.000Z",
    });
    await setZone("UTC");
  });

  it("find notes by words of all their texts", async () => {
    await draft({ title: "Night colours", version: "3.0.0", body: "Ünser Licht" });
    await draft({
      version: "4.0.0",
      bodyFormat: "items",
      items: [{ type: "fixed", text: "Crash at night" }],
    });
    expect(readingOf(await owner.open(address("?q=NIGHT")))).toMatch(/Maps Draft 4\.0\.0 .*Night colours/);
    const found = readingOf(await owner.open(address("?q=%C3%BCnser+night")));
    expect(found).toContain("Night colours");
    expect(found).not.toContain("4.0.0");
    expect(readingOf(await owner.open(address("?q=nowhere")))).toContain(
      "No release note has all of these words.",
    );
  });

  it("accept a list of changes and versions by platform, and ignore empty rows", async () => {
    await create({
      intent: "publish",
      title: "Maps",
      version: "1.2.0",
      bodyFormat: "items",
      "items.0.type": "fixed",
      "items.0.text": "Crash at start",
      "items.2.type": "added",
      "items.2.text": "Night colours",
      "versions.1.platform": "android",
      "versions.1.version": "1.2.0.7",
    });
    expect(await published()).toMatchObject({
      entries: [
        {
          items: [
            { type: "fixed", text: "Crash at start" },
            { type: "added", text: "Night colours" },
          ],
          versions: [{ platform: "android", version: "1.2.0.7" }],
        },
      ],
    });
  });

  it("show each fault at its field or at its row", async () => {
    const lines = { "items.3.type": "fixed", "items.3.text": "x".repeat(1_001) };
    const answer = await create({ title: "", version: "1", bodyFormat: "items", ...lines });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toMatch(
      /Title must not be empty\. .* Change 4 must have at most 1000 characters\./,
    );
  });

  it("preview Markdown without saving it and without raw HTML", async () => {
    const body = "## Maps\n\n[more](https://example.org) <b>x</b> ![p](https://evil.example/a.png)";
    const page = await create({ intent: "preview", title: "Maps", version: "1.2.0", body });
    expect(page.status).toBe(200);
    expect(page.text).toContain("<h2>Maps</h2>");
    expect(page.text).toContain('<a href="https://example.org" rel="noopener noreferrer nofollow">more</a>');
    expect(page.text).toContain("&lt;b&gt;x&lt;/b&gt;");
    expect(page.text).not.toContain('<img src="https://evil');
    expect(readingOf(await owner.open(address()))).toContain("Nothing released yet");
  });

  it("preview a list of changes by kind", async () => {
    const values = {
      intent: "preview",
      bodyFormat: "items",
      "items.0.type": "fixed",
      "items.0.text": "Crash",
    };
    expect(readingOf(await create(values))).toContain("Fixed Crash");
  });

  it("add rows to the form, and keep the filled fields", async () => {
    const page = await create({ intent: "more-items", "items.4.type": "fixed", "items.4.text": "Crash" });
    const fields = fieldsOf(formOf(page, address("/new")));
    expect(fields).toMatchObject({
      ...{ "items-rows": "10", "items.4.text": "Crash", "items.9.text": "", "versions-rows": "2" },
    });
  });

  it("save only changed fields", async () => {
    const id = await draft({ publishedAt: "2026-01-02T03:04:05.678Z" });
    await send(id, { title: "Quieter maps" });
    const { body } = await world.call("GET", `/changelog/${id}`);
    expect(body).toMatchObject({ title: "Quieter maps", publishedAt: "2026-01-02T03:04:05.678Z" });
  });

  it("change a published note into a draft again", async () => {
    await send(await draft({ publishedAt: "2026-01-02T03:04:05.678Z" }), { publishedAt: "" });
    expect(await published()).toEqual({ entries: [] });
  });

  it("show the threads that a note names in a separate field, and not in the text or its preview (rule C32)", async () => {
    const thread = await sendFeedback(service, app.key, { message: "The list is empty." });
    const body = `A list.\n\nFeedback: ${thread}`;
    const path = address(`/${await draft({ body })}`);
    const page = await owner.open(path);
    expect(page.text).toContain(
      `<a href="/console/feedback/${app.id}/${thread}"><bdi>The list is empty.</bdi></a>`,
    );
    expect(fieldsOf(formOf(page, path))).toMatchObject({ body: "A list.", fixes: "#1" });
    expect(readingOf(await owner.open(`/console/feedback/${app.id}/${thread}`))).toContain(
      "Release notes 1.2.0: Maps Draft",
    );
    const preview = await create({ intent: "preview", title: "Maps", version: "1.3.0", body });
    expect(preview.text).toContain("<p>A list.</p>\n</div>");
  });

  it("save the line with the threads of the field, and leave the rest of the text unchanged", async () => {
    const [one, two] = [await sendFeedback(service, app.key), await sendFeedback(service, app.key)];
    await create({ title: "Maps", version: "1.2.0", body: "A list.", fixes: "#1" });
    const [{ id }] = Object((await world.call("GET", `/apps/${app.id}/changelog`)).body).items;
    const read = async () => (await world.call("GET", `/changelog/${id}`)).body;
    expect(await read()).toMatchObject({ body: `A list.\n\nFeedback: ${one}`, feedbackIds: [one] });
    await send(id, { fixes: `2, ${one.toUpperCase()}`, title: "More" });
    expect(await read()).toMatchObject({ body: `A list.\n\nFeedback: ${one}, ${two}`, title: "More" });
    await send(id, { fixes: "" });
    expect(await read()).toMatchObject({ body: "A list.", feedbackIds: [] });
  });

  it("are shown with a hint that this server sends no mail to their senders", async () => {
    const page = readingOf(await owner.open(address("/new")));
    expect(page).toContain(
      "This server sends no mail, so the senders of these threads get no mail about the note.",
    );
    expect(page).not.toContain("get a mail");
  });

  it("mark the title and the version as required, for new notes and for drafts", async () => {
    for (const part of ["/new", `/${await draft()}`]) {
      const { text } = await owner.open(address(part));
      for (const name of ["title", "version"]) {
        const [field = ""] = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(text) ?? [];
        expect([part, field]).toEqual([part, expect.stringMatching(/ required\b/)]);
      }
    }
  });

  it("refuse words that name no thread of the app, and keep the typed text", async () => {
    const answer = await create({ title: "Maps", version: "1.2.0", fixes: "#7, crash" });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Fixes threads has “crash”, #7, which names no thread of this app.");
    expect(fieldsOf(formOf(answer, address("/new")))).toMatchObject({ fixes: "#7, crash" });
  });

  it("notice that somebody else has changed the threads", async () => {
    const [one, two] = [await sendFeedback(service, app.key), await sendFeedback(service, app.key)];
    const id = await draft({ body: "A list." });
    const page = await owner.open(address(`/${id}`));
    await world.call("PATCH", `/changelog/${id}`, { body: `A list.\n\nFeedback: ${one}` });
    await world.call("GET", `/apps/${app.id}/feedback`);
    const answer = await owner.send(page, address(`/${id}`), { intent: "save", fixes: two });
    expect(readingOf(answer)).toContain("Fixes threads was changed by somebody else");
    await owner.send(page, address(`/${id}`), { intent: "save", title: "Other" });
    expect((await world.call("GET", `/changelog/${id}`)).body).toMatchObject({
      title: "Other",
      feedbackIds: [one],
    });
  });

  it("offer on a thread to name it in an open note or in a new note", async () => {
    const thread = await sendFeedback(service, app.key);
    const id = await draft({ body: "", bodyFormat: "items", items: [{ type: "fixed", text: "Crash" }] });
    await draft({ version: "1.1.0", title: "Out", publish: true });
    const path = `/console/feedback/${app.id}/${thread}`;
    const page = await owner.open(path);
    expect(page.text).not.toContain("1.1.0: Out");
    const added = await owner.send(page, `${path}/release-note`, { releaseNote: id });
    expect(added.headers.get("location")).toBe(address(`/${id}?done=thread-named`));
    expect((await world.call("GET", `/changelog/${id}`)).body).toMatchObject({
      ...{ body: `Feedback: ${thread}`, bodyFormat: "items", feedbackIds: [thread] },
    });
    const fresh = await owner.send(page, `${path}/release-note`, { releaseNote: "new" });
    expect(fresh.headers.get("location")).toBe(address("/new?fixes=%231"));
    expect(fieldsOf(formOf(await owner.follow(fresh), address("/new")))).toMatchObject({ fixes: "#1" });
  });

  it("keep the published text while a note has a draft, and publish the draft", async () => {
    const id = await draft({ publish: true });
    await send(id, { intent: "draft", body: "Better." });
    expect(await published()).toMatchObject({ entries: [{ body: "Old." }] });
    const page = await owner.open(address(`/${id}`));
    expect(readingOf(page)).toContain("1 change is not published");
    await owner.send(page, address(`/${id}`), { intent: "publish" });
    expect(await published()).toMatchObject({ entries: [{ body: "Better." }] });
    expect(readingOf(await owner.open(address(`/${id}`)))).toContain("History (1)");
  });

  it("have a page for each language of a note, with a field for each change (rule C34)", async () => {
    const items = [
      { type: "fixed", text: "Crash at start" },
      { type: "added", text: "Night colours" },
    ];
    const id = await draft({ bodyFormat: "items", items, body: "", publish: true });
    const entry = address(`/${id}`);
    const page = await owner.open(`${entry}?lang=de`);
    expect(readingOf(page)).toContain("Change 2 (added) Night colours");
    const values = { "translations.de.title": "Karten", "translations.de.items.1.text": "Nachtfarben" };
    const preview = await owner.send(page, entry, { ...values, intent: "preview" });
    expect(readingOf(preview)).toContain("Karten 1.2.0 Added Nachtfarben");
    await owner.send(preview, entry, { intent: "save" });
    const read = async () => (await world.call("GET", `/changelog/${id}`)).body;
    expect(await read()).toMatchObject({
      translations: { de: { title: "Karten", body: "", items: [{ type: "added", text: "Nachtfarben" }] } },
    });
    const again = await owner.open(`${entry}?lang=de`);
    await owner.send(again, entry, { "translations.de.title": "Pläne", intent: "draft" });
    expect(await read()).toMatchObject({
      ...{ translations: { de: { title: "Karten" } }, draft: { translations: { de: { title: "Pläne" } } } },
    });
    expect(readingOf(await owner.open(entry))).toContain("1 change is not published");
    const deleted = await owner.send(await owner.open(`${entry}?lang=de`), `${entry}/translation?lang=de`);
    expect(readingOf(await owner.open(deleted.headers.get("location") ?? ""))).toContain(
      "The translation is deleted in the draft. The published translation stays until you publish the draft.",
    );
    expect(await read()).toMatchObject({ draft: { translations: { de: null } } });
    await owner.send(await owner.open(entry), entry, { intent: "publish" });
    expect(await read()).toMatchObject({ translations: {}, draft: null });
  });

  it("delete a note permanently", async () => {
    const id = await draft();
    await owner.send(await owner.open(address(`/${id}`)), address(`/${id}/delete`));
    expect((await owner.open(address(`/${id}`))).status).toBe(404);
  });

  it("say if the changelog is turned off", async () => {
    const { id } = await service.makeApp(world.owner, { changelogEnabled: false });
    expect(readingOf(await owner.open(`/console/changelog/${id}`))).toContain("turned off for this app");
  });

  it("use a button that publishes nothing for the Enter key", async () => {
    const first = async (at: string) => /<button[^>]*>/.exec(formOf(await owner.open(at), at))?.[0];
    expect(await first(address("/new"))).toContain('value="save"');
    const id = await draft({ publishedAt: "2026-01-02T03:04:05.678Z" });
    expect(await first(address(`/${id}`))).toContain('value="draft"');
  });
});

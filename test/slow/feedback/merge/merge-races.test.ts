import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { answerOnPage } from "../../../support/mail/answer-on-page.ts";
import { makeAppWithSenders } from "../../../support/mail/app-with-senders.ts";
import { mailOf, makeMailArrive } from "../../../support/mail/arriving-mail.ts";
import { fc } from "../../../support/property.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { exportFile, linesIn } from "../../../support/worlds/transfer/app-file.ts";

const acts = [
  ...["merge", "merge", "unmerge", "bulk", "undo", "reply", "everyone", "note", "answer", "mail", "repeat"],
  ...["resolve", "propose", "decide", "erase", "export", "viewer", "status"],
] as const;

const senders = ["ada", "bo", "cy", "di"] as const;

/** The words of each text name the senders who may read it: `<ada bo>`. */
const wordsFor = (order: number, ...readers: string[]) => `Text ${order} for (${readers.join(" ")}).`;

describe.each(databases)("merges at the same time as other work on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it("lose no message, show no sender the words of other senders, and follow the role", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...acts), fc.nat(3), fc.nat(3)), { minLength: 8, maxLength: 16 }),
        (chosen) => race(service, chosen),
      ),
      // A race cannot be repeated exactly, so the test does not search for smaller examples.
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("lose no message that arrives during a merge and during its undo", async () => {
    for (let round = 0; round < 6; round++) await arrivals(service);
  });
});

/** Sends every kind of change of a thread at the same time as its merge, and then at the same time as the undo. */
async function arrivals(service: Service): Promise<void> {
  const app = await makeAppWithSenders(service);
  const key = { dedupeKey: "one", dedupeScope: "ci" };
  const sent = await app.report({ message: "One.", email: "ada@kitchen.example", ...key, dedupeRun: "1" });
  const [from, into] = [sent.field("id"), (await app.report({ message: "Two." })).field("id")];
  const take = () =>
    makeMailArrive(service, { reportId: from, appId: app.appId, recipient: "ada@kitchen.example" });
  const takes = await Promise.all(Array.from({ length: 16 }, take));
  const written: string[] = [];
  const all = (name: string, moves: () => Promise<{ readonly status: number }>) => {
    const text = (kind: string) => `${kind}, at the ${name}.`;
    const said = async (kind: string, body: object) => {
      const { status } = await app.console("POST", `/feedback/${from}/messages`, {
        body: text(kind),
        ...body,
      });
      expect(status).toBe(201);
      written.push(text(kind));
    };
    const mailed = async (kind: string) => {
      const arrive = takes.pop();
      expect(await arrive?.(mailOf([text(kind)], { From: "ada@kitchen.example" }))).toBe("stored");
      written.push(text(kind));
    };
    return Promise.all([
      ...["first", "second", "third", "fourth"].map((kind) => mailed(`The ${kind} mail`)),
      moves().then(({ status }) => expect(status).toBe(200)),
      ...["fifth", "sixth", "seventh", "last"].map((kind) => mailed(`The ${kind} mail`)),
      said("A note", { direction: "note" }),
      said("A reply", { direction: "outbound" }),
      answerOnPage(sent.field("statusUrl"), text("An answer")).then(({ status }) => {
        expect(status).toBe(303);
        written.push(text("An answer"));
      }),
      app.report({ message: text("A repeat"), ...key, dedupeRun: name }).then(({ status }) => {
        expect(status).toBe(201);
        written.push(text("A repeat"));
      }),
    ]);
  };
  const texts = async () => {
    const { items } = Object((await app.console("GET", `/apps/${app.appId}/feedback`)).body);
    const threads = await Promise.all(items.map(({ id }: { id: string }) => app.thread(id)));
    return threads.flatMap((thread) =>
      Object(thread).messages.map(({ body }: { body: string }) => body.trim()),
    );
  };
  await all("merge", () => app.console("POST", `/feedback/${from}/merge`, { into }));
  expect((await texts()).filter((text: string) => text !== "One.").sort()).toEqual([...written].sort());
  await all("end of the merge", () => app.console("POST", `/feedback/${from}/unmerge`));
  expect((await texts()).sort()).toEqual([...written].sort());
}

type Act = readonly [act: (typeof acts)[number], at: number, other: number];

async function race(service: Service, chosen: readonly Act[]): Promise<void> {
  const app = await makeAppWithSenders(service);
  const viewer = await service.signIn(await service.makeMember(app.appId, "viewer"));
  const reports: { readonly id: string; readonly url: string; readonly name: string }[] = [];
  const keyOf = (at: number) => ({ dedupeKey: `key ${at}`, dedupeScope: `scope ${at}`, dedupeRun: "1" });
  for (const [at, name] of senders.entries()) {
    const sent = await app.report({
      ...{ message: wordsFor(0, name), email: `${name}@kitchen.example`, ...keyOf(at) },
    });
    reports.push({ id: sent.field("id"), url: sent.field("statusUrl"), name });
  }
  // Before any merge, a reply to everyone is for one sender.
  for (const { id, name } of reports)
    await app.reply(id, { body: wordsFor(0, name, "early"), everyone: true });
  const of = (at: number) => reports[at] ?? { id: "", url: "", name: "" };
  const takes = await Promise.all(
    reports.map(({ id, name }) =>
      makeMailArrive(service, { reportId: id, appId: app.appId, recipient: `${name}@kitchen.example` }),
    ),
  );
  const bulk = `/apps/${app.appId}/feedback/bulk`;
  const ids = reports.map(({ id }) => id);
  const begun = await app.console("POST", bulk, { ids, change: { status: "in_progress" } });
  const written: { readonly text: string; readonly by: string }[] = [];
  const erased = new Set<string>();
  const codes = new Map<string, number[]>();
  const note = (act: string, status: number) => codes.set(act, [...(codes.get(act) ?? []), status]);

  await Promise.all(
    chosen.map(async ([act, at, other], index) => {
      const [{ id, url, name }, order] = [of(at), index + 1];
      const say = async (text: string, body: object) => {
        const { status } = await app.console("POST", `/feedback/${id}/messages`, { body: text, ...body });
        note(act, status);
        if (status === 201) written.push({ text, by: "the team" });
      };
      if (act === "merge") {
        note(act, (await app.console("POST", `/feedback/${id}/merge`, { into: of(other).id })).status);
      } else if (act === "unmerge") {
        note(act, (await app.console("POST", `/feedback/${id}/unmerge`)).status);
      } else if (act === "viewer") {
        const path = `/api/v1/console/feedback/${id}/${other % 2 === 0 ? "merge" : "unmerge"}`;
        const body = other % 2 === 0 ? { into: of(other).id } : undefined;
        const refused = await service.request("POST", path, { headers: viewer, body });
        expect(refused.status).toBe(403);
      } else if (act === "bulk") {
        note(act, (await app.console("POST", bulk, { ids, change: { addTags: ["seen"] } })).status);
      } else if (act === "undo") {
        note(act, (await app.console("POST", `${bulk}/undo`, { undo: begun.field("undo") })).status);
      } else if (act === "status") {
        note(act, (await app.console("PATCH", `/feedback/${id}`, { status: "open" })).status);
      } else if (act === "note") {
        await say(wordsFor(order), { direction: "note" });
      } else if (act === "reply") {
        await say(wordsFor(order, name), { direction: "outbound", reportId: id });
      } else if (act === "everyone") {
        await say(`Text ${order} for all.`, { direction: "outbound", everyone: true });
      } else if (act === "answer") {
        const text = wordsFor(order, name);
        const { status } = await answerOnPage(url, text);
        note(act, status);
        if (status === 303) written.push({ text, by: name });
      } else if (act === "mail") {
        const text = wordsFor(order, name);
        // The receiver of mails tries again to store a failed mail, and finally leaves it unread.
        const mail = mailOf([text], { From: `${name}@kitchen.example` });
        const outcome = await takes[at]?.(mail).catch(() => "later");
        if (outcome === "stored") written.push({ text, by: name });
      } else if (act === "repeat") {
        const text = wordsFor(order, `again${order}`);
        const sent = await app.report({ message: text, ...keyOf(at), dedupeRun: `again ${order}` });
        note(act, sent.status);
        written.push({ text, by: "nobody" });
      } else if (act === "resolve") {
        const passed = [`key ${at}`, `key ${other}`];
        const body = { scope: `scope ${at}`, run: `passed ${order}`, passed };
        note(act, (await app.console("POST", `/apps/${app.appId}/feedback/resolve`, body)).status);
      } else if (act === "propose" || act === "decide") {
        const path = `/api/v1/agent/feedback/${id}/proposal`;
        const body = { summary: `Plan ${order}.`, plan: "1. Do it." };
        const made = await service.request("POST", path, { headers: app.agent, body });
        note(act, made.status);
        if (act === "propose" || made.status !== 201) return;
        const decided = { decision: "reject" };
        note(act, (await app.console("POST", `/runs/${made.field("runId")}/decision`, decided)).status);
      } else if (act === "erase") {
        erased.add(name);
        note(act, (await app.console("POST", "/people/erase", { email: `${name}@kitchen.example` })).status);
      } else {
        const lines = linesIn(await exportFile(service, app.person, app.appId));
        // Each report is in the file once: as a thread, or as a message of another one.
        const texts = lines.map((line) => String(line.type === "thread" ? line.message : line.body));
        for (const sender of senders.filter((one) => !erased.has(one)))
          expect(texts.filter((text) => text === wordsFor(0, sender))).toHaveLength(1);
      }
    }),
  );
  for (const [act, statuses] of codes)
    for (const status of statuses)
      expect([200, 201, 202, 303, 400, 404, 409], `${act}: ${status}`).toContain(status);
  await finished(app);

  const { items } = Object((await app.console("GET", `/apps/${app.appId}/feedback?limit=100`)).body);
  const threads = await Promise.all(items.map(({ id }: { id: string }) => app.thread(id)));
  const texts = threads.flatMap((thread) => {
    const { feedback, messages } = Object(thread);
    return [feedback.message, ...messages.map(({ body }: { body: string }) => body)];
  });
  const isErased = (text: string) => [...erased].some((name) => text.includes(`(${name})`));
  for (const name of senders.filter((one) => !erased.has(one)))
    expect(
      texts.filter((text) => text === wordsFor(0, name)),
      `the report of ${name}`,
    ).toHaveLength(1);
  for (const { text } of written)
    if (!isErased(text) && !(erased.size > 0 && text.endsWith("for all.")))
      expect(
        texts.some((one) => one.trim() === text),
        `${text} of ${JSON.stringify(chosen)}`,
      ).toBe(true);
  for (const { url, name } of reports) {
    const shown = await fetch(url, { headers: { accept: "text/html" } });
    expect([200, 404]).toContain(shown.status);
    if (!erased.has(name)) expect(shown.status).toBe(200);
    for (const [, readers = ""] of (await shown.text()).matchAll(/Text \d+ for \(([a-z\d ]*)\)/g))
      expect(readers.split(" ")).toContain(name);
  }
  // Every id still leads to a thread, and the counts of reports are those of the threads.
  for (const thread of threads) {
    const { feedback, messages, merged } = Object(thread);
    const reported = messages.filter(({ category }: { category?: string }) => category !== undefined).length;
    if (erased.size === 0) expect(feedback.occurrences).toBe(1 + reported);
    for (const { id } of merged)
      expect(Object(await app.thread(id)).feedback).toMatchObject({
        id: feedback.id,
        mergedInto: feedback.id,
      });
  }
}

/** Waits until the erasures are done. */
async function finished(app: Awaited<ReturnType<typeof makeAppWithSenders>>): Promise<void> {
  await eventually(async () => {
    const { items } = Object((await app.console("GET", "/people/erasures")).body);
    expect(items.every(({ status }: { status: string }) => status === "done")).toBe(true);
  });
}

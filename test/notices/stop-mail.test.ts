import { describe, expect, it, onTestFinished } from "vitest";
import { stopUrlOf } from "../../server/notices/mails/api.ts";
import { eventually } from "../support/eventually.ts";
import { parsedMail, startMailServer } from "../support/mail/mail-server.ts";
import { makeNoticedApp, passTime } from "../support/mail/noticed-app.ts";
import { mailsArrive, serverWithMail } from "../support/mail/server-with-mail.ts";
import { startService } from "../support/service/service.ts";

const minute = 60_000;

/** An app whose owner wants mail about reports, and has got one. */
async function noticedOwner() {
  const server = await startMailServer();
  const service = await serverWithMail(server.url);
  const app = await makeNoticedApp(service);
  await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
  const told = async (count: number) => {
    await app.report({});
    await app.settled();
    await passTime(service, 15 * minute);
    await mailsArrive(server, count);
    return parsedMail(server.received.at(-1) ?? { raw: "" });
  };
  const mail = await told(1);
  const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value ?? "";
  const link = /<(http[^>]+)>/.exec(header("list-unsubscribe"))?.[1] ?? "";
  return { server, service, app, mail, header, link, told };
}

/** The words of a page, without its tags. */
const wordsOf = async (page: Response): Promise<string> =>
  (await page.text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

/** The ways by mail in which the owner is told. */
const mailWays = async ({ app }: Pick<Awaited<ReturnType<typeof noticedOwner>>, "app">) => {
  const { body } = await app.owner.call("GET", "/me/notices");
  const kinds: { ways: string[] }[] = Object(body).apps[0].kinds;
  return kinds.flatMap((kind) => kind.ways.filter((way) => way !== "browser"));
};

describe("mail with notices", () => {
  it("can be ended with one click in the mail program, without a sign-in", async () => {
    const noticed = await noticedOwner();
    const { header, link, app, mail, server, service } = noticed;
    expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(header("auto-submitted")).toBe("auto-generated");
    expect(mail.text).toMatch(/^To stop mails about \S.*:\n/m);
    expect(mail.text).toContain(link);
    await app.report({});
    await app.settled();
    const oneClick = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
    const done = await fetch(link, oneClick);
    expect(done.status).toBe(200);
    expect(await wordsOf(done)).toMatch(/You will get no mail about \S.* any more/);
    expect((await fetch(link, oneClick)).status).toBe(200);
    expect(await mailWays(noticed)).toEqual([]);
    expect(await app.waiting()).toBe(0);
    await passTime(service, 24 * 60 * minute);
    expect(server.received).toHaveLength(1);
    expect(service.logged()).not.toContain(link.split("/").at(-1));
  });

  it("is not ended by a program that only opens the link", async () => {
    const noticed = await noticedOwner();
    const before = await mailWays(noticed);
    const page = await fetch(noticed.link);
    expect(page.status).toBe(200);
    expect(await wordsOf(page)).toMatch(/Stop mails about \S.* \?.* Stop these mails/);
    expect(page.headers.get("x-robots-tag")).toContain("noindex");
    await fetch(noticed.link, { method: "HEAD" });
    expect(await mailWays(noticed)).toEqual(before);
    await noticed.told(2);
  });

  it("is not ended by a changed link", async () => {
    const noticed = await noticedOwner();
    const token = noticed.link.split("/").at(-1) ?? "";
    const swapped = token.startsWith("A") ? `B${token.slice(1)}` : `A${token.slice(1)}`;
    for (const wrong of [swapped, token.slice(1), `${token}A`, "x"]) {
      const answer = await fetch(noticed.link.replace(token, wrong), { method: "POST" });
      expect(answer.status).toBe(404);
    }
    expect(await mailWays(noticed)).not.toEqual([]);
  });

  it("can be ended for each app, and the person can undo this", async () => {
    const noticed = await noticedOwner();
    const second = await noticed.service.makeApp(noticed.app.owner, { name: "Pantry" });
    await fetch(noticed.link, { method: "POST" });
    const { body } = await noticed.app.owner.call("GET", "/me/notices");
    const of = (id: string) => Object(body).apps.find(({ appId }: { appId: string }) => appId === id);
    expect(of(second.id).kinds.every(({ byDefault }: { byDefault: boolean }) => byDefault)).toBe(true);
    const kinds = { report: ["mail"] };
    await noticed.app.owner.choose({ apps: [{ appId: noticed.app.appId, kinds }] });
    await noticed.told(2);
  });
});

describe("a member who has ended all mail", () => {
  it("gets the other notices of a later role, and no others than before", async () => {
    const service = await startService({ still: true, settings: { dev: true } });
    onTestFinished(() => service.stop());
    const app = await makeNoticedApp(service);
    const { appId, owner } = app;
    const kim = await app.join("maintainer");
    await kim.choose({ apps: [{ appId, kinds: { storm: ["mail", "chat"] } }] });
    const becomes = async (role: string) =>
      expect((await owner.call("PATCH", `/apps/${appId}/members/${kim.id}`, { role })).status).toBe(200);
    const waysOf = async (...kinds: readonly string[]) => {
      const { body } = await kim.call("GET", "/me/notices");
      const rows: { kind: string; ways: string[] }[] = Object(body).apps[0].kinds;
      return kinds.map((kind) => rows.find((row) => row.kind === kind)?.ways);
    };
    await becomes("viewer");
    const link = stopUrlOf(service.deps, { userId: kim.id, appId });
    expect((await fetch(link, { method: "POST" })).status).toBe(200);
    expect(await waysOf("report", "storm", "proposal")).toEqual([[], [], undefined]);
    await becomes("maintainer");
    expect(await waysOf("report", "storm", "proposal", "slot")).toEqual([[], ["chat"], ["browser"], []]);
    await becomes("owner");
    expect(await waysOf("slot", "delivery")).toEqual([["browser"], ["browser"]]);
  });
});

describe("words of a sender", () => {
  it("that are erased are in no mail that waits, and the other notices of the mail are kept", async () => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url);
    const app = await makeNoticedApp(service);
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    await app.report({ email: "mara@kitchen.example", subject: "The cellar of Mara" });
    await app.report({ email: "bo@cellar.example", subject: "The oven of Bo" });
    await app.settled();
    await server.close();
    await passTime(service, 15 * minute);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    const erased = await app.owner.call("POST", "/people/erase", { email: "mara@kitchen.example" });
    expect(erased.status).toBe(201);
    await eventually(async () => {
      const receipt = await app.owner.call("GET", `/people/erasures/${erased.field("id")}`);
      expect(receipt.field("status")).toBe("done");
    });
    const again = await startMailServer({}, server.port);
    onTestFinished(() => again.close());
    await passTime(service, 30 * minute);
    await mailsArrive(again, 1);
    const { text = "" } = await parsedMail(again.received[0] ?? { raw: "" });
    expect(text).toContain("The oven of Bo");
    expect(text).not.toContain("Mara");
  });
});

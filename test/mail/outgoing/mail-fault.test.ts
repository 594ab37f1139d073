import { describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { startMailServer } from "../../support/mail/mail-server.ts";
import {
  afterWaiting,
  mailBecomes,
  mailsArrive,
  queue,
  serverWithMail,
} from "../../support/mail/server-with-mail.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";

const minute = 60_000;

describe.each(databases)("mail that cannot be sent, on $name (rule M17),", (engine) => {
  async function start(service: Service) {
    const team = await makeTeam(service);
    const id = team.app.id;
    const pages = [
      "/console/feedback",
      `/console/feedback/${id}`,
      `/console/apps/${id}`,
      `/console/members/${id}`,
    ];
    const seenBy = async (headers: Record<string, string>) => {
      const browser = createBrowserWithoutScripts(service, headers);
      const seenOn = async (path: string) =>
        /Mail cannot be sent:.*?What to do/
          .exec(readingOf(await browser.open(path)))?.[0]
          .replaceAll(" .", ".");
      return Promise.all(pages.map(seenOn));
    };
    return {
      team,
      mail: (to = "ada@kitchen.example") => queue(service, { appId: id, to }),
      seenBy,
      owner: async () => seenBy(await service.signIn(team.owner)),
    };
  }

  const refusing = (code: number, text: string) => startMailServer({ onRecipient: () => ({ code, text }) });

  const nowhere = [undefined, undefined, undefined, undefined];

  it("is named to owners, with the number, the time and the reason, until it leaves", async () => {
    const closed = await startMailServer();
    await closed.close();
    const service = await serverWithMail(closed.url, { engine });
    const { team, mail, seenBy, owner } = await start(service);
    expect(await owner()).toEqual(nowhere);
    const first = await mail();
    await mailBecomes(service, first, { lastError: expect.any(String), attempts: 0 });
    expect(await owner()).toEqual(
      Array(4).fill(
        expect.stringMatching(
          /^Mail cannot be sent: 1 mail has waited since .*, \d\d:\d\d UTC\. The mail server cannot be used \(E\w+\)\. What to do$/,
        ),
      ),
    );
    await mail("bo@cellar.example");
    expect(await owner()).toEqual(Array(4).fill(expect.stringContaining(": 2 mails have waited since")));
    for (const role of ["maintainer", "viewer"] as const)
      expect(await seenBy((await team.join(role)).headers)).toEqual(nowhere);
    const opened = await startMailServer({}, closed.port);
    await afterWaiting(service, 20 * minute);
    await mailsArrive(opened, 2);
    await mailBecomes(service, first, { status: "sent" });
    expect(await owner()).toEqual(nowhere);
  });

  it("is not named to owners of an app whose mails do not wait", async () => {
    const service = await serverWithMail("smtp://127.0.0.1:9?tls=off", { engine });
    const { mail } = await start(service);
    const other = await start(service);
    await mailBecomes(service, await mail(), { lastError: expect.any(String) });
    expect(await other.owner()).toEqual(nowhere);
  });

  it("is named if the mail server has refused it for 15 minutes, and nothing was sent", async () => {
    const server = await refusing(452, "4.2.2 The quota is used up.");
    const service = await serverWithMail(server.url, { engine });
    const { mail, owner } = await start(service);
    await mailBecomes(service, await mail(), { attempts: 1, lastError: expect.stringContaining("quota") });
    expect(await owner()).toEqual(nowhere);
    service.clock.advance(15 * minute);
    expect(await owner()).toEqual(
      Array(4).fill(
        expect.stringMatching(/ The mail server answered: 452 4\.2\.2 The quota is used up\. What to do$/),
      ),
    );
  });

  it("is not named if only one address is refused for now, and other mails are sent", async () => {
    const server = await startMailServer({
      onRecipient: (address) =>
        address.startsWith("bo@") ? { code: 451, text: "4.7.1 Greylisted" } : undefined,
    });
    const service = await serverWithMail(server.url, { engine });
    const { mail, owner } = await start(service);
    await mailBecomes(service, await mail("bo@cellar.example"), { attempts: 1 });
    service.clock.advance(20 * minute);
    await mailBecomes(service, await mail(), { status: "sent" });
    expect(await owner()).toEqual(nowhere);
  });

  it("is named without the password of the mail server, even if its answer repeats the password", async () => {
    const server = await startMailServer({
      account: { user: "larder", password: "another" },
      refusalOfSignIn: ({ user, password }) =>
        `Refused ${password} ${Buffer.from(`\0${user}\0${password}`).toString("base64")}`,
    });
    const url = server.url.replace("//", "//larder:open-sesame@");
    const service = await serverWithMail(url, { engine });
    const { mail, owner } = await start(service);
    await mailBecomes(service, await mail(), { lastError: expect.any(String) });
    const [seen = ""] = await owner();
    expect(seen).toContain("The mail server refuses the name or the password: 535 Refused … …. What to do");
    expect(service.logged()).not.toContain("open-sesame");
  });

  it("is named without the addresses of the mail that the mail server has answered", async () => {
    const server = await startMailServer({
      onRecipient: (address) => ({ code: 421, text: `4.7.0 <${address.toUpperCase()}> is refused` }),
    });
    const service = await serverWithMail(server.url, { engine });
    const { mail, owner } = await start(service);
    await mailBecomes(service, await mail("bo@cellar.example"), { lastError: expect.any(String) });
    service.clock.advance(20 * minute);
    const [seen = ""] = await owner();
    expect(seen).toContain("The mail server answered: 421 4.7.0 <…> is refused. What to do");
  });

  it("is named without the user, the host and the sender of the mail server, and without encoded domains", async () => {
    const hidden = ["larder", "lArder", Buffer.from("larder").toString("base64"), "127.0.0.1"];
    const server = await startMailServer({
      account: { user: "larder", password: "open-sesame" },
      onRecipient: (address) => ({
        code: 421,
        text: `4.7.0 <${address}> from feedback@larder.example, ${hidden.join(", ")} at larders refused`,
      }),
    });
    const url = server.url.replace("//", "//larder:open-sesame@");
    const service = await serverWithMail(url, { engine });
    const { mail, owner } = await start(service);
    await mailBecomes(service, await mail("bo@käller.example"), { lastError: expect.any(String) });
    service.clock.advance(20 * minute);
    const [seen = ""] = await owner();
    expect(seen).toContain(
      "The mail server answered: 421 4.7.0 <…> from …, …, …, …, … at larders refused. What to do",
    );
  });

  it("is read with at most one query for a page, and with none if this server sends no mail", async () => {
    const counted = async (service: Service) => {
      const { owner } = await start(service);
      const asked: string[] = [];
      const { database } = service.deps;
      const get = database.get;
      Object.assign(database, {
        get: (...[sql, ...values]: Parameters<typeof get>) => {
          if (/\bmails m\b/.test(sql)) asked.push(sql);
          return get(sql, ...values);
        },
      });
      await owner();
      return asked.length;
    };
    expect(await counted(await serverWithMail("smtp://127.0.0.1:9?tls=off", { engine }))).toBe(4);
    const silent = await startService({ engine });
    expect(await counted(silent)).toBe(0);
    await silent.stop();
  });
});

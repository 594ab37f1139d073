import { once } from "node:events";
import { connect } from "node:net";
import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type TracedDatabase, tracedDatabase } from "../../support/database/traced-database.ts";
import { mailedToken, mailsTo } from "../../support/mail/mailed-links.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";

const paths = {
  recovery: "/api/v1/console/recovery",
  "sign-up": "/api/v1/console/sign-up",
} as const;

describe.each(databases)("links in mails on $name", (engine) => {
  let service: Service;
  let traced: TracedDatabase;
  beforeAll(async () => {
    traced = tracedDatabase(engine);
    service = await startService({ engine: traced.engine, settings: { dev: true } });
  });
  afterAll(() => service.stop());

  const ask = (kind: keyof typeof paths, email: string) =>
    service.request("POST", paths[kind], { body: { email } });
  const finish = (token: string, newPassword: string) =>
    service.request("POST", `${paths.recovery}/finish`, { body: { token, newPassword } });

  it.each(["recovery", "sign-up"] as const)(
    "cause for %s the same work and the same answer for known and unknown addresses",
    async (kind) => {
      const { email } = await makeAccount(service);
      const seen: unknown[] = [];
      for (const address of [email, `${v7()}@example.org`]) {
        const statements = await traced.during(async () => {
          const { status, text, headers } = await ask(kind, address);
          seen.push({ status, text, headers: [...headers.keys()] });
        });
        // Jobs of the server use other tables at the same time, and delete old rows of limits.
        const isOfRequest = (sql: string) =>
          /\b(rate_limits|account_links|users)\b/.test(sql) && !sql.startsWith("DELETE FROM rate_limits");
        seen.push(statements.filter(isOfRequest));
      }
      expect(seen.slice(2)).toEqual(seen.slice(0, 2));
    },
  );

  it("are sent to an address at most three times an hour for all requests together, and the answer stays the same", async () => {
    const { email } = await makeAccount(service);
    const statuses: number[] = [];
    for (let at = 0; at < 6; at += 1) statuses.push((await ask("recovery", email)).status);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 204]);
    expect(await mailsTo(service, email)).toHaveLength(3);
    const token = await mailedToken(service, email);
    expect((await finish(token, "a fresh password")).status).toBe(204);
  });

  it("are not sent to an unknown address, and no row about the address is kept", async () => {
    const email = `${v7()}@example.org`;
    await ask("recovery", email);
    expect(await mailsTo(service, email)).toEqual([]);
    const rows = await service.deps.database.all("SELECT * FROM account_links WHERE email = ?", email);
    expect(rows).toEqual([]);
  });

  it("set one password if two people use a link at the same time", async () => {
    const { email } = await makeAccount(service);
    await ask("recovery", email);
    const token = await mailedToken(service, email);
    const passwords = ["the password of one", "the password of the other"];
    const answers = await Promise.all(passwords.map((password) => finish(token, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    const winner = passwords[answers.findIndex(({ status }) => status === 204)] ?? "";
    expect((await postSession(service, { email, password: winner })).status).toBe(201);
  });

  it("cannot be created from the content of the database", async () => {
    const { email } = await makeAccount(service);
    await ask("recovery", email);
    const token = await mailedToken(service, email);
    const rows = await service.deps.database.all<{ hash: string }>(
      `SELECT token_hash AS "hash" FROM account_links WHERE email = ?`,
      email,
    );
    expect(rows).toHaveLength(1);
    for (const { hash } of rows) {
      expect(hash).not.toBe(token);
      expect((await finish(hash, "a fresh password")).field("code")).toBe("invalid_code");
    }
    const stored = await service.deps.database.all("SELECT * FROM mails");
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it("give a new account a new session, whatever cookies the browser has, and only from the server's own pages", async () => {
    const email = `${v7()}@example.org`;
    await ask("sign-up", email);
    const body = { token: await mailedToken(service, email), password: "a fresh password" };
    const planted = `innkeep=${"A".repeat(43)}`;
    const finishAs = (headers: Record<string, string>) =>
      service.request("POST", `${paths["sign-up"]}/finish`, { headers, body });
    const foreign = await finishAs({ cookie: planted, origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    const done = await finishAs({ cookie: planted, origin: service.baseUrl });
    expect(done.status).toBe(201);
    const isOpen = async (cookie: string) =>
      (await service.request("GET", "/api/v1/console/me", { headers: { cookie } })).status === 200;
    expect([await isOpen(planted), await isOpen(cookieOf(done))]).toEqual([false, true]);
  });

  it.each(["recovery", "sign-up"] as const)(
    "for %s contain the address of the settings, whatever host the request names",
    async (kind) => {
      const email = kind === "recovery" ? (await makeAccount(service)).email : `${v7()}@example.org`;
      const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
      const body = JSON.stringify({ email });
      socket.write(
        [
          `POST ${paths[kind]} HTTP/1.1`,
          "Host: evil.example",
          "X-Forwarded-Host: evil.example",
          "Forwarded: host=evil.example",
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
          "Connection: close",
          "",
          body,
        ].join("\r\n"),
      );
      await once(socket.resume(), "close");
      const [mail] = await mailsTo(service, email);
      expect(mail?.text).toContain(`\n${service.deps.settings.consoleUrl}/`);
      expect(JSON.stringify(mail)).not.toContain("evil.example");
    },
  );

  it("that are guessed all get the same refusal, and are counted for their network address", async () => {
    const statuses: string[] = [];
    for (let at = 0; at < 70 && !statuses.includes("rate_limited"); at += 1)
      statuses.push((await finish(v7(), "a fresh password")).field("code"));
    expect(new Set(statuses)).toEqual(new Set(["invalid_code", "rate_limited"]));
  });
});

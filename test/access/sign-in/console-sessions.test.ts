import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  cookieOf,
  makeAccount,
  postSession,
  type TestAccount,
} from "../../support/sign-in/password-accounts.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const path = "/api/v1/console/sessions";

describe("the console sessions of an account", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const open = async (account: TestAccount, userAgent = firefox) => ({
    origin: service.baseUrl,
    cookie: cookieOf(await postSession(service, account, { "user-agent": userAgent })),
  });
  type Headers = Awaited<ReturnType<typeof open>>;
  const list = async (headers: Headers) =>
    Object((await service.request("GET", path, { headers })).body).items;
  const end = (headers: Headers, id: string) =>
    service.request("DELETE", `/api/v1/console/sessions/${id}`, { headers });
  const endOthers = (headers: Headers) => service.request("DELETE", path, { headers });
  const isOpen = async (headers: Headers) =>
    (await service.request("GET", "/api/v1/console/me", { headers })).status === 200;

  it("are listed with the name of the browser, and the present session is marked", async () => {
    const account = await makeAccount(service);
    const elsewhere = await open(account);
    service.clock.advance(1_000);
    const here = await open(account, "unheard of");
    expect(await list(here)).toMatchObject([
      { browser: null, current: true },
      { browser: "Firefox on Linux", current: false },
    ]);
    expect(await list(elsewhere)).toMatchObject([{ current: false }, { current: true }]);
  });

  it("never show their secrets", async () => {
    const account = await makeAccount(service);
    const here = await open(account);
    const { text } = await service.request("GET", path, { headers: here });
    const rows = await service.deps.database.all<{ hash: string }>(
      `SELECT token_hash AS "hash" FROM sessions WHERE user_id = ?`,
      account.id,
    );
    expect(rows).toHaveLength(1);
    for (const secret of [here.cookie.slice("innkeep=".length), ...rows.map(({ hash }) => hash)])
      expect(text).not.toContain(secret);
  });

  it("have the hour of the last use", async () => {
    const account = await makeAccount(service);
    const [here, elsewhere] = [await open(account), await open(account)];
    const [before] = await list(here);
    service.clock.advance(3 * 3_600_000);
    await isOpen(elsewhere);
    await expect
      .poll(async () =>
        (await list(here)).map((one: { lastUsedAt: string }) => one.lastUsedAt > before.lastUsedAt),
      )
      .toEqual([true, true]);
    service.clock.advance(-3 * 3_600_000);
  });

  it("can be ended one by one, immediately", async () => {
    const account = await makeAccount(service);
    const [here, elsewhere] = [await open(account), await open(account)];
    const other = (await list(here)).find(({ current }: { current: boolean }) => !current);
    expect((await end(here, other.id)).status).toBe(204);
    expect([await isOpen(here), await isOpen(elsewhere)]).toEqual([true, false]);
    expect((await end(here, other.id)).status).toBe(404);
  });

  it("can all be ended except one", async () => {
    const account = await makeAccount(service);
    const [here, ...others] = [await open(account), await open(account), await open(account)];
    expect((await endOthers(here)).status).toBe(204);
    expect(await isOpen(here)).toBe(true);
    for (const other of others) expect(await isOpen(other)).toBe(false);
    const audit = await service.request("GET", "/api/v1/console/audit", { headers: here });
    expect(audit.text).toContain('"session.end_others"');
  });

  it("of another account are not listed and cannot be ended", async () => {
    const [mine, theirs] = [await open(await makeAccount(service)), await open(await makeAccount(service))];
    const [{ id }] = await list(theirs);
    for (const unknown of [id, v7()]) expect((await end(mine, unknown)).status).toBe(404);
    expect((await endOthers(mine)).status).toBe(204);
    expect(await list(mine)).toHaveLength(1);
    expect(await isOpen(theirs)).toBe(true);
  });

  it("are not listed after they have expired", async () => {
    const account = await makeAccount(service);
    await open(account);
    service.clock.advance(31 * 86_400_000);
    expect(await list(await open(account))).toHaveLength(1);
    service.clock.advance(-31 * 86_400_000);
  });
});

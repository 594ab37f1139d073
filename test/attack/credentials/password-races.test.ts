import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { users } from "../../../server/access/accounts/store.ts";
import { replacePassword } from "../../../server/admin/accounts.ts";
import type { Database } from "../../../server/database/database.ts";
import { hashPassword } from "../../../server/secrets/passwords.ts";
import { databases, type TestDatabase, type TestEngine } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  cookieOf,
  makeAccount,
  postSession,
  type TestAccount,
} from "../../support/sign-in/password-accounts.ts";

const fresh = "a fresh password";

/** An engine whose databases run a function once: before the first write after the next read of an account. */
function interleaved(engine: TestEngine) {
  let meanwhile: ((database: Database) => Promise<unknown>) | undefined;
  let looked = false;
  const watched = (database: Database): Database => ({
    ...database,
    get: async <Row extends object>(sql: string, ...values: never[]) => {
      const row = await database.get<Row>(sql, ...values);
      looked ||= meanwhile !== undefined && /FROM users WHERE email/.test(sql);
      return row;
    },
    async write(work) {
      const act = looked ? meanwhile : undefined;
      if (act) {
        meanwhile = undefined;
        looked = false;
        await act(database);
      }
      return database.write(work);
    },
  });
  const create = async (): Promise<TestDatabase> => {
    const real = await engine.create();
    return { ...real, open: async (options) => watched(await real.open(options)) };
  };
  return {
    engine: { ...engine, create },
    before(act: (database: Database) => Promise<unknown>) {
      meanwhile = act;
    },
  };
}

describe.each(databases)("a password that is changed during a sign-in with it, on $name,", (engine) => {
  const between = interleaved(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: between.engine });
  });
  afterAll(() => service.stop());

  const ways = {
    console: (account: TestAccount) => postSession(service, account),
    token: ({ email, password }: TestAccount) =>
      service.request("POST", "/api/v1/testing/auth/token", {
        body: { email, password, deviceId: `device of ${email}` },
      }),
  };

  it.each(["console", "token"] as const)("is refused afterwards: %s", async (way) => {
    const account = await makeAccount(service);
    between.before((database) => replacePassword(database, { email: account.email, password: fresh }));
    const refused = await ways[way](account);
    expect([refused.status, refused.field("code")]).toEqual([401, "invalid_credentials"]);
    expect(refused.headers.get("set-cookie")).toBe(null);
    expect((await ways[way]({ ...account, password: fresh })).status).toBe(201);
  });

  it("leaves no session of the old password, in any order of the two requests", async () => {
    const account = await makeAccount(service);
    const headers = { origin: service.baseUrl, cookie: cookieOf(await postSession(service, account)) };
    const body = { currentPassword: account.password, newPassword: fresh };
    const change = service.request("PUT", "/api/v1/console/password", { headers, body });
    const signIns = await Promise.all(Array.from({ length: 8 }, () => postSession(service, account)));
    expect((await change).status).toBe(204);
    const opened = signIns.filter(({ status }) => status === 201).map(cookieOf);
    for (const cookie of opened) {
      const me = await service.request("GET", "/api/v1/console/me", { headers: { cookie } });
      expect(me.status).toBe(401);
    }
  });

  it("is changed after a sign-in that has already checked it", async () => {
    const { database } = service.deps;
    const account = await makeAccount(service);
    const order: string[] = [];
    const passwordHash = await hashPassword(fresh);
    let changing: Promise<unknown> | undefined;
    await database.write(async (tx) => {
      const found = await users.findByEmail(tx, account.email);
      expect(await users.lockPassword(tx, account.id, found?.passwordHash ?? "")).toBe(true);
      changing = database
        .write((other) => users.setPassword(other, account.id, passwordHash))
        .then(() => order.push("changed"));
      await tx.get("SELECT 1 AS one FROM users WHERE id = ?", account.id);
      order.push("signed in");
    });
    await changing;
    expect(order).toEqual(["signed in", "changed"]);
  });
});

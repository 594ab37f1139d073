import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { databases, sharedDatabases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { fillThreads, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the numbers of threads on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const send = (count: number) =>
    Array.from({ length: count }).reduce<Promise<string[]>>(
      async (sent) => [...(await sent), await sendFeedback(service, team.app.key)],
      Promise.resolve([]),
    );
  const numberOf = async (id: string): Promise<number> =>
    Object((await team.call("GET", `/feedback/${id}`)).body).feedback.number;
  const listed = async (query = ""): Promise<{ id: string; number: number }[]> =>
    Object((await team.call("GET", `${team.at}/feedback${query}`)).body).items;

  it("begin with 1 in each app, in the order of arrival", async () => {
    team = await makeTeam(service);
    await send(2);
    team = await makeTeam(service);
    const sent = await send(3);
    expect(await numberOf(String(sent[1]))).toBe(2);
    expect((await listed()).map(({ number }) => number)).toEqual([3, 2, 1]);
  });

  it("never change, and are not used a second time after the newest thread is deleted", async () => {
    team = await makeTeam(service);
    const [first = "", second = ""] = await send(2);
    expect(await numberOf(second)).toBe(2);
    await team.call("DELETE", `/feedback/${second}`);
    const [third = ""] = await send(1);
    expect(await numberOf(third)).toBe(3);
    expect(await numberOf(first)).toBe(1);
  });

  it("are unique even if many requests read new threads at the same time", async () => {
    team = await makeTeam(service);
    const sent = await send(20);
    const numbers = await Promise.all(sent.map(numberOf));
    expect(numbers).toEqual(sent.map((_, at) => at + 1));
  });

  it("find a thread of the app, and can be combined with other filters", async () => {
    team = await makeTeam(service);
    const [, second = ""] = await send(3);
    expect((await listed("?number=2")).map(({ id }) => id)).toEqual([second]);
    expect(await listed("?number=2&status=resolved")).toEqual([]);
    expect(await listed("?number=9")).toEqual([]);
    for (const query of ["?number=0", "?number=x", "?number=2&q=a", "?number=2&unread=true"])
      expect((await team.call("GET", `${team.at}/feedback${query}`)).status).toBe(400);
  });

  it("are given in several parts if very many threads have none", async () => {
    team = await makeTeam(service);
    await fillThreads(
      service,
      team.app.id,
      Array.from({ length: 4_100 }, () => ({ message: "One of many." })),
    );
    const [newest] = await listed("?limit=1");
    expect(newest?.number).toBe(4_100);
  });

  it("are in the answer to a change of a thread that nobody has read before", async () => {
    team = await makeTeam(service);
    const [id = ""] = await send(1);
    const changed = await team.call("PATCH", `/feedback/${id}`, { status: "resolved" });
    expect(changed.body).toMatchObject({ feedback: { number: 1 } });
  });
});

describe("the short address of a thread", () => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const open = async (number: string) => {
    const headers = await service.signIn(team.owner);
    return fetch(`${service.baseUrl}/console/t/${team.app.id}/${number}`, { headers, redirect: "manual" });
  };

  it("redirects to the page of the thread", async () => {
    const id = await sendFeedback(service, team.app.key);
    const answer = await open("1");
    expect(answer.headers.get("location")).toMatch(new RegExp(`/console/feedback/${team.app.id}/${id}$`));
  });

  it.each(["9", "0", "x", "-1"])("with the number %s answers 404", async (number) => {
    expect((await open(number)).status).toBe(404);
  });
});

describe.each(sharedDatabases)("a change of a thread without a number on $name", (engine) => {
  it("waits for the numbers without a lock on the thread, so that two transactions cannot block each other", async () => {
    const service = await startService({ engine });
    onTestFinished(() => service.stop());
    const team = await makeTeam(service);
    const id = await sendFeedback(service, team.app.key);
    const { database } = service.deps;
    let changing: ReturnType<typeof team.call> | undefined;
    await database.write(async (tx) => {
      await tx.lock(`thread numbers ${team.app.id}`);
      changing ??= team.call("PATCH", `/feedback/${id}`, { status: "resolved" });
      await eventually(async () => {
        const waiting = await database.all(
          `SELECT 1 AS one FROM pg_locks l JOIN pg_database d ON d.oid = l.database
           WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`,
        );
        expect(waiting).toHaveLength(1);
      });
      await tx.get("SELECT 1 AS one FROM feedback WHERE id = ? FOR UPDATE NOWAIT", id);
    });
    expect(await changing).toMatchObject({
      status: 200,
      body: { feedback: { number: 1, status: "resolved" } },
    });
  });
});

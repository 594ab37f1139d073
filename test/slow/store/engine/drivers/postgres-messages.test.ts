import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Database, Transaction } from "../../../../../server/store/engine/database.ts";
import { converse } from "../../../../../server/store/engine/drivers/postgres-conversation.ts";
import { openDatabase } from "../../../../../server/store/engine/open.ts";
import { postgres, type TestDatabase } from "../../../../support/database/databases.ts";
import { countingProxy } from "../../../../support/network/counting-proxy.ts";

const notes = {
  number: 1,
  name: "notes",
  statements: ["CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT CHECK (text <> ''))"],
};

describe("a transaction on PostgreSQL", () => {
  let place: TestDatabase;
  let url: URL;
  beforeEach(async () => {
    place = await postgres.createEmpty();
    await place.open({ migrations: [notes] });
    url = new URL("url" in place.address ? place.address.url : "");
  });
  afterEach(() => place.remove());

  async function openCounted(): Promise<{ readonly database: Database; readonly answers: () => number }> {
    const proxy = await countingProxy(Number(url.port));
    const address = Object.assign(new URL(url), { port: String(proxy.port) });
    const database = await openDatabase({ url: address.href }, { poolSize: 1, migrations: "none" });
    onTestFinished(() => database.close());
    return { database, answers: proxy.answers };
  }

  const send = (tx: Transaction, id: number, text: string | null = "note") =>
    tx.send<{ id: number }>("INSERT INTO notes (id, text) VALUES (?, ?) RETURNING id", id, text);
  const count = (tx: Transaction) => tx.get<{ n: number }>("SELECT count(*) AS n FROM notes");

  async function rowsOf(database: Database): Promise<number[]> {
    return (await database.all<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);
  }

  it.each<[string, number, (tx: Transaction) => unknown]>([
    ["sends one statement with its beginning", 2, count],
    ["sends what nobody waits for with the commit", 1, (tx) => void send(tx, 9)],
    ["sends its signals with the commit", 2, (tx) => count(tx).then(() => tx.signal("topic"))],
    [
      "sends what nobody waits for with the next statement",
      2,
      (tx) => {
        send(tx, 7);
        send(tx, 8);
        return count(tx).then(() => {
          send(tx, 9);
          tx.signal("topic");
        });
      },
    ],
  ])("%s", async (_, expected, work) => {
    const { database, answers } = await openCounted();
    const again = async () => {
      const before = answers();
      await database.write(async (tx) => {
        await work(tx);
      });
      const took = answers() - before;
      await database.write((tx) => tx.run("DELETE FROM notes"));
      return took;
    };
    // The first time the connection prepares the statements.
    await again();
    await again();
    expect(await again()).toBe(expected);
  });

  it("gives the rows of what it sent after the commit, and each statement sees those before it", async () => {
    const { database } = await openCounted();
    for (const round of [0, 10, 20]) {
      const { early, rows, seen, late } = await database.write(async (tx) => {
        const rows = [1, 2, 3].map((id) => send(tx, round + id, `quo'te \\ ${id}`));
        const seen = await count(tx);
        const late = send(tx, round + 4, null);
        expect(late).toThrow("after its write");
        return { early: rows[0], rows, seen, late };
      });
      expect(early?.()).toEqual([{ id: round + 1 }]);
      expect(rows.map((each) => each())).toEqual([1, 2, 3].map((id) => [{ id: round + id }]));
      expect(late()).toEqual([{ id: round + 4 }]);
      expect(seen).toEqual({ n: (round / 10) * 4 + 3 });
    }
    expect(await database.all("SELECT text FROM notes WHERE id IN (22, 24) ORDER BY id")).toEqual([
      { text: "quo'te \\ 2" },
      { text: null },
    ]);
  });

  it("sends very many statements that nobody waits for", async () => {
    const { database } = await openCounted();
    const ids = Array.from({ length: 1_000 }, (_, id) => id);
    await database
      .write(async (tx) => {
        for (const id of ids) send(tx, id, "x".repeat(id));
      })
      .catch(() => undefined);
    expect(await rowsOf(database)).toEqual([]);
    await database.write(async (tx) => {
      for (const id of ids) send(tx, id, `n${"x".repeat(id)}`);
    });
    expect(await rowsOf(database)).toEqual(ids);
  });

  describe("of which a statement fails that nobody waits for", () => {
    const refused = { code: "23514" };

    it.each<[string, (tx: Transaction) => unknown]>([
      ["with the commit", (tx) => void send(tx, 2, "")],
      ["before others", (tx) => [send(tx, 2, ""), send(tx, 3)]],
      ["before one that is awaited", (tx) => [send(tx, 2, "")].map(() => count(tx))[0]],
      [
        "before one whose failure the work hides",
        (tx) => [send(tx, 2, "")].map(() => count(tx).catch(() => undefined))[0],
      ],
    ])("fails with its error and has done nothing: %s", async (_, work) => {
      const { database } = await openCounted();
      for (let round = 0; round < 3; round += 1) {
        const write = database.write(async (tx) => {
          send(tx, 1);
          tx.signal("topic");
          await work(tx);
        });
        await expect(write).rejects.toMatchObject(refused);
        expect(await rowsOf(database)).toEqual([]);
      }
      await database.write((tx) => tx.insert("notes", { id: 5, text: "still works" }));
      expect(await rowsOf(database)).toEqual([5]);
    });
  });

  it("that PostgreSQL rolls back instead of committing fails", async () => {
    const client = await connect();
    await client.query("CREATE TEMPORARY TABLE own (id BIGINT)");
    const conversation = converse(client);
    await conversation.ask({ text: "INSERT INTO own VALUES (1)" });
    await client.query("SELECT 1 / 0").catch(() => undefined);
    await expect(conversation.commit([])).rejects.toThrow("rolled back");
    expect((await client.query("SELECT id FROM own")).rows).toEqual([]);
  });

  it("whose beginning fails runs no statement outside a transaction", async () => {
    const client = await connect();
    await client.query("CREATE TEMPORARY TABLE own (id BIGINT)");
    await converse(client).commit([]);
    await client.query("DEALLOCATE innkeep_begin");
    for (const statement of [{ text: "INSERT INTO own VALUES ($1)", values: [1] }, { text: "TABLE own" }])
      await expect(converse(client).ask(statement)).rejects.toMatchObject({ code: "26000" });
    expect((await client.query("SELECT id FROM own")).rows).toEqual([]);
  });

  async function connect(): Promise<pg.PoolClient> {
    const pool = new pg.Pool({ connectionString: url.href, max: 1 });
    const client = await pool.connect();
    client.on("error", () => {});
    onTestFinished(async () => {
      client.release(true);
      await pool.end();
    });
    return client;
  }
});

import { describe, expect, it } from "vitest";
import { createQuery } from "../../../server/database/postgres.lazy.ts";
import { plannedEachTime } from "../../../server/database/transaction.ts";

const twice = (query: ReturnType<typeof createQuery>, sql: string) => [
  query(sql, []).name,
  query(sql, []).name,
];

describe("the prepared statements of a PostgreSQL pool", () => {
  it("have names from their second use, so that a new schema does not use all names", () => {
    const query = createQuery();
    for (let at = 0; at < 3_000; at += 1) expect(query(`CREATE TABLE t${at} ()`, []).name).toBeUndefined();
    expect(twice(query, "SELECT 1")).toEqual([undefined, "innkeep_0"]);
    expect(twice(query, "SELECT 2")).toEqual([undefined, "innkeep_1"]);
    expect(query("SELECT ?", ["one"])).toEqual({ text: "SELECT $1", values: ["one"] });
    expect(query("SELECT ?", ["two"])).toEqual({ name: "innkeep_2", text: "SELECT $1", values: ["two"] });
  });

  it("are at most 500, because each connection keeps them", () => {
    const query = createQuery();
    for (let at = 0; at < 500; at += 1)
      expect(twice(query, `SELECT ${at}`)).toEqual([undefined, `innkeep_${at}`]);
    expect(twice(query, "SELECT 'one more'")).toEqual([undefined, undefined]);
    expect(query("SELECT 7", []).name).toBe("innkeep_7");
  });

  it("have no name if each execution needs a separate plan", () => {
    expect(twice(createQuery(), plannedEachTime("SELECT 1"))).toEqual([undefined, undefined]);
  });
});

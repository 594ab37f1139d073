import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { postgres, type TestEngine } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { waiters } from "../../support/postgres/locked-table.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAppWithAgent, writeNote } from "../../support/worlds/app-with-owner-and-agent.ts";

interface CountedEngine {
  readonly engine: TestEngine;
  /** How many transactions were repeated, because PostgreSQL ended them. */
  readonly repeats: () => number;
}

function countRepeats(real: TestEngine): CountedEngine {
  let repeats = 0;
  const counted = (database: Database): Database => ({
    ...database,
    write(work, pace) {
      let attempts = 0;
      const count = () => {
        if (attempts++ > 0) repeats += 1;
      };
      return database.write((tx) => {
        count();
        return work(tx);
      }, pace);
    },
  });
  return {
    engine: {
      ...real,
      async create() {
        const place = await real.create();
        return { ...place, open: async (options) => counted(await place.open(options)) };
      },
    },
    repeats: () => repeats,
  };
}

describe("an app on PostgreSQL that is deleted while its content is written,", () => {
  const { engine, repeats } = countRepeats(postgres);
  let service: Service;
  let rival: pg.Client;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    const { address } = service.database;
    rival = new pg.Client({ connectionString: "url" in address ? address.url : "" });
    await rival.connect();
  });
  afterAll(async () => {
    await rival.end();
    await service.stop();
  });

  const waiting = (count: number) =>
    eventually(async () => {
      const { rowCount } = await rival.query(waiters);
      expect(rowCount).toBe(count);
    });

  it.each([
    ["an FAQ entry is changed", "PATCH", "/faqs/$faq", { answer: "New." }],
    ["an FAQ entry is deleted", "DELETE", "/faqs/$faq", undefined],
    ["the FAQ is replaced", "PUT", "/apps/$app/faqs", { faqs: [{ question: "New?", answer: "New." }] }],
    ["a release note is changed", "PATCH", "/changelog/$note", { title: "New" }],
    ["a release note is deleted", "DELETE", "/changelog/$note", undefined],
    ["a release note is imported", "PUT", "/apps/$app/changelog/by-version/1.0.0", { body: "New." }],
  ])("causes no deadlock if %s", async (_, method, path, body) => {
    const cast = await makeAppWithAgent(service);
    const { appId, person: headers } = cast;
    const ask = (how: string, where: string, sent?: object) =>
      service.request(how, `/api/v1/console${where}`, {
        headers: { ...headers, "if-match": "*" },
        ...(sent && { body: sent }),
      });
    const faq = (await ask("POST", `/apps/${appId}/faqs`, { question: "Q?", answer: "A." })).field("id");
    const note = (await writeNote(service, cast, {})).field("id");
    const before = repeats();
    await rival.query("BEGIN");
    await rival.query("SELECT 1 FROM apps WHERE id = $1 FOR SHARE", [appId]);
    const deletion = ask("DELETE", `/apps/${appId}`);
    await waiting(1);
    const names: Record<string, string> = { app: appId, faq, note };
    const write = ask(
      method,
      path.replace(/\$(\w+)/, (_found, name) => names[name] ?? ""),
      body,
    );
    await waiting(2);
    await rival.query("COMMIT");
    expect((await deletion).status).toBe(204);
    expect((await write).status).toBe(404);
    expect(repeats() - before).toBe(0);
  });
});

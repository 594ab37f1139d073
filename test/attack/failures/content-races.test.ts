import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { makeAppWithAgent, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";

const count = rounds(8, 200);
const times = <Result>(many: number, make: (at: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: many }, (_, at) => make(at)));
/** The different statuses of the answers. */
const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

/** A deadlock or a half-finished write would cause a 500 or a 503. */
describe.each(databases)("changes at the same time, on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  const allowed = [200, 201, 204, 401, 404, 412];

  it("of an FAQ, its release notes and its app all end, and a deleted app leaves no rows", async () => {
    for (let round = 0; round < count; round += 1) {
      const cast = await makeAppWithAgent(service);
      const app = `/api/v1/console/apps/${cast.appId}`;
      const list = (at: number) => ({
        faqs: Array.from({ length: 20 }, (_, each) => ({ question: `Q${at}.${each}?`, answer: "So." })),
      });
      const put = (at: number) =>
        service.request("PUT", "/api/v1/faqs/remote", {
          headers: { ...cast.key, "if-match": "*" },
          body: list(at),
        });
      const [entry] = [(await put(0)).field("0.id")];
      const ask = (method: string, path: string, body?: object, more: object = {}) =>
        service.request(method, path, { headers: { ...cast.person, ...more }, ...(body && { body }) });
      const answers = await Promise.all([
        times(4, put),
        times(4, (at) => ask("PUT", `${app}/faqs`, list(at), { "if-match": "*" })),
        times(4, () => ask("PATCH", `/api/v1/console/faqs/${entry}`, { answer: "New." })),
        times(2, () => ask("DELETE", `/api/v1/console/faqs/${entry}`)),
        times(4, (at) => ask("PUT", `${app}/changelog/by-version/1.0.${at % 2}`, { body: `Text ${at}.` })),
        ask("DELETE", app).then((answer) => [answer]),
      ]);
      expect(statuses(answers.flat()).filter((status) => !allowed.includes(status))).toEqual([]);
      const gone = await Promise.all([put(9), ask("GET", `${app}/faqs`), ask("GET", `${app}/changelog`)]);
      expect(gone.map(({ status }) => status)).toEqual([401, 404, 404]);
    }
  });

  it("of one failure by reports, successful runs, edits and deletions all end", async () => {
    for (let round = 0; round < count; round += 1) {
      const cast = await makeAppWithAgent(service);
      const keys = ["a", "b", "c"];
      const ids = await Promise.all(
        keys.map((dedupeKey) =>
          submitFeedback(service, cast, { dedupeKey, dedupeScope: "ci", dedupeRun: "1" }),
        ),
      );
      const green = (at: number) =>
        service.request("POST", `/api/v1/console/apps/${cast.appId}/feedback/resolve`, {
          headers: cast.person,
          body: { scope: "ci", run: String(at + 2), passed: at % 2 === 0 ? keys : [...keys].reverse() },
        });
      const report = (at: number) =>
        service.request("POST", "/api/v1/feedback/remote", {
          headers: cast.key,
          body: {
            type: "bug",
            message: "It fails.",
            dedupeKey: keys[at % 3],
            dedupeScope: "ci",
            dedupeRun: `r${at}`,
          },
        });
      const thread = (method: string, at: number, body?: object) =>
        service.request(method, `/api/v1/console/feedback/${ids[at % 3]}`, {
          headers: cast.person,
          ...(body && { body }),
        });
      const answers = await Promise.all([
        times(6, green),
        times(9, report),
        times(3, (at) => thread("PATCH", at, { status: "in_progress" })),
        times(2, (at) => thread("DELETE", at)),
      ]);
      expect(statuses(answers.flat()).filter((status) => !allowed.includes(status))).toEqual([]);
      const last = await green(99);
      expect(last).toMatchObject({ status: 200, body: { stillFailing: [], more: false } });
      const again = await green(100);
      expect(again.body).toEqual({ resolved: [], stillFailing: [], more: false });
    }
  });
});

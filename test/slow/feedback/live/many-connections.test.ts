import { get, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../../support/worlds/app-with-owner-and-agent.ts";

const members = 50;
const browsersOfEach = 10;
const all = members * browsersOfEach;

describe.each(databases)("500 browsers that receive events on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  const received: string[] = [];
  const answers: IncomingMessage[] = [];
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const open = (headers: Record<string, string>) =>
    new Promise<void>((resolve, reject) => {
      const at = received.push("") - 1;
      get(`${service.baseUrl}/api/v1/console/live`, { headers, agent: false }, (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`The answer is ${answer.statusCode}.`));
        answers.push(answer);
        answer.on("data", (bytes) => {
          received[at] += bytes;
        });
        answer.on("error", () => {});
        resolve();
      }).on("error", reject);
    });
  const reach = (text: string) =>
    eventually(() => {
      const others = received.filter((one) => !one.includes(text)).map((one) => one.slice(-300));
      expect({ all: received.length, others }).toEqual({ all, others: [] });
    });
  const used = () => process.memoryUsage().rss;

  it("all get each change, and use little memory", async () => {
    // The members are added first, because many changes of roles at once are one event without a thread.
    const sessions: Record<string, string>[] = [];
    for (let member = 0; member < members; member += 1)
      sessions.push(await service.signIn(await service.makeMember(cast.appId, "viewer")));
    const before = used();
    for (const headers of sessions)
      await Promise.all(Array.from({ length: browsersOfEach }, () => open(headers)));
    await reach("id: ");
    const opened = used();
    // More than 50 at once are one event for everything.
    for (let change = 0; change < 40; change += 1) await submitFeedback(service, cast);
    await reach(await submitFeedback(service, cast));
    // The figures include the 500 clients, which are in this process.
    expect(service.deps.liveConnections.count()).toBe(all);
    expect((opened - before) / all).toBeLessThan(262_144);
  });

  it("leave no memory in use when they end", async () => {
    for (const answer of answers) answer.destroy();
    await eventually(() => expect(service.deps.liveConnections.count()).toBe(0));
  });
});

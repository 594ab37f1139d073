import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messages } from "../../../../server/feedback/messages/store.ts";
import { receiversOf } from "../../../../server/mail/outgoing/replies.ts";
import { reports } from "../../../../server/mail/sender-page/store.ts";
import { fieldsOf, listAt, textAt, valueAt } from "../../../../src/contract/json.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { databases } from "../../../support/database/databases.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("a thread with more than 1 MiB of messages on $name", (engine) => {
  const metadata = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`key${n}`, "y".repeat(1_000)]));
  let service: Service;
  let cast: AppWithAgent;
  let id: string;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
    for (let n = 0; n <= 60; n += 1) {
      const message = `${n} ${"x".repeat(9_500)}`;
      id = await submitFeedback(service, cast, { dedupeKey: "large", message, metadata });
    }
  });
  afterAll(() => service.stop());

  const readers = () =>
    [
      ["agent", cast.agent],
      ["console", cast.person],
    ] as const;
  const read = async (reader: "agent" | "console", headers: Record<string, string>, thread = id) => {
    const { status, body } = await service.request("GET", `/api/v1/${reader}/feedback/${thread}`, {
      headers,
    });
    expect(status).toBe(200);
    const { omittedMessages } = fieldsOf(body);
    const sent = listAt(body, "messages").map((message) => ({
      text: textAt(message, "body"),
      metadata: valueAt(message, "metadata"),
    }));
    return { omittedMessages, sent };
  };

  it("is answered with the newest messages that fit, and the number of the older ones", async () => {
    for (const [reader, headers] of readers()) {
      const { omittedMessages, sent } = await read(reader, headers);
      const first = 61 - sent.length;
      const numbers = Array.from({ length: sent.length }, (_, n) => first + n);
      expect(sent.map(({ text }) => Number.parseInt(text, 10))).toEqual(numbers);
      expect(omittedMessages).toBe(60 - sent.length);
      expect(JSON.stringify(sent).length).toBeLessThan(limits.threadMessageBytes * 1.01);
      expect(JSON.stringify(sent).length).toBeGreaterThan(limits.threadMessageBytes * 0.95);
    }
  });

  it("has a page and an answer that name the number of older messages and all receivers", async () => {
    const page = await service.request("GET", `/console/feedback/${cast.appId}/${id}`, {
      headers: cast.person,
    });
    const { omittedMessages } = await read("console", cast.person);
    expect(page.text).toContain(`${omittedMessages} older messages not shown.`);
    const all = await reports.list(service.deps.database, id);
    const { body } = await service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person });
    expect(valueAt(body, "receivers")).toBe(receiversOf(all));
    expect(await reports.listReceivers(service.deps.database, id)).toEqual(
      all.map(({ id, createdAt, senderEmail, home }) => ({ id, createdAt, email: senderEmail, home })),
    );
  });

  it("is answered with all messages that are no reports", async () => {
    const written = ["First reply", "Second reply"];
    for (const [second, body] of written.entries())
      await service.deps.database.write((tx) =>
        messages.insert(tx, {
          ...{ id: service.deps.newId(), feedbackId: id, direction: "outbound", body },
          createdAt: `2026-01-01T00:00:0${second}.000Z`,
        }),
      );
    for (const [reader, headers] of readers()) {
      const { omittedMessages, sent } = await read(reader, headers);
      expect(sent.slice(0, 2).map(({ text }) => text)).toEqual(written);
      expect(omittedMessages).toBe(62 - sent.length);
    }
  });

  it("is answered with the newest message even if it alone is larger", async () => {
    const thread = await submitFeedback(service, cast);
    const message = { feedbackId: thread, direction: "inbound" } as const;
    await service.deps.database.write(async (tx) => {
      for (const [second, body] of ["old", "y".repeat(2 * limits.threadMessageBytes)].entries())
        await messages.insert(tx, {
          ...{ ...message, id: service.deps.newId(), body },
          createdAt: `2026-01-01T00:00:0${second}.000Z`,
        });
      const files = JSON.stringify({ images: [], videos: [], attachments: [] });
      await tx.run(
        "UPDATE messages SET category = 'bug', metadata = '{}', files = ? WHERE feedback_id = ?",
        ...[files, thread],
      );
    });
    for (const [reader, headers] of readers()) {
      const { omittedMessages, sent } = await read(reader, headers, thread);
      expect(sent.map(({ text }) => text.slice(0, 1))).toEqual(["y"]);
      expect(omittedMessages).toBe(1);
    }
  });
});

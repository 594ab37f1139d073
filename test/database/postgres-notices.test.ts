import { describe, expect, it } from "vitest";
import { createAnnouncer, payloadsOf } from "../../server/database/postgres.lazy.ts";
import { createSignals } from "../../server/database/transaction.ts";
import { fc } from "../support/property.ts";

/** Two servers, and the signals that each of them has received. */
function begin() {
  const server = () => {
    const signals = createSignals();
    const heard: string[] = [];
    signals.subscribe((topic) => heard.push(topic));
    return { ...createAnnouncer(signals), heard };
  };
  return { own: server(), other: server() };
}

const topicsIn = (payloads: readonly string[]): string[] =>
  payloads.flatMap((payload) => JSON.parse(payload).slice(1));

describe("the PostgreSQL notifications of a transaction", () => {
  it("contain every topic, and each is smaller than the limit of PostgreSQL", () => {
    const topics = fc.uniqueArray(fc.string({ unit: "binary", maxLength: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(topics, (given) => {
        const payloads = payloadsOf("server 1", given);
        expect(topicsIn(payloads)).toEqual(given);
        for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
      }),
    );
  });

  it("are as few as possible", () => {
    const topics = Array.from({ length: 300 }, (_, at) => `thread:${at}`);
    expect(payloadsOf("server 1", topics)).toHaveLength(1);
  });

  it("say that anything may have changed in place of more than 1,000 topics or a topic that is too long", () => {
    const many = Array.from({ length: 1_001 }, (_, at) => `thread:${at}`);
    for (const topics of [many, ["ü".repeat(4_000)]])
      expect(topicsIn(payloadsOf("server 1", topics))).toEqual(["*"]);
  });
});

describe("the change that a server announces", () => {
  it("is signalled by another server when the notification arrives, and once by this server after the commit", () => {
    const { own, other } = begin();
    const { payloads, settle } = own.announce(new Set(["a", "b"]));
    expect(own.heard).toEqual([]);
    settle();
    for (const payload of payloads) for (const server of [own, other]) server.hear(payload);
    expect([own.heard, other.heard]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("is signalled by this server when its own notification arrives, even if the commit is never acknowledged", () => {
    const { own } = begin();
    const { payloads, settle } = own.announce(new Set(["a"]));
    for (const payload of payloads) own.hear(payload);
    expect(own.heard).toEqual(["a"]);
    settle();
    expect(own.heard).toEqual(["a"]);
  });

  it.each(["", "not JSON", '{"a":1}', "[1]"])(
    "counts as a change of everything if the text of its notification is %j",
    (payload) => {
      const { own } = begin();
      own.hear(payload);
      expect(own.heard).toEqual(["*"]);
    },
  );

  it("causes no signal if nothing changed", () => {
    const { own } = begin();
    expect(own.announce(new Set()).payloads).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { widthOf } from "../../../src/cli/core/output.ts";
import { wrapped } from "../../../src/cli/feedback/inbox/screen.lazy.tsx";
import { ServerError } from "../../../src/client/errors.ts";
import { fc } from "../../support/property.ts";
import { open, thread } from "./inbox-screen.ts";

describe("a key in the inbox that the person presses before the thread is shown", () => {
  it("is added to the text, and does not archive a thread", async () => {
    let answer = () => {};
    const arrived = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { shows, type, asked, inbox } = open({
      read: async (id) => {
        await arrived;
        return thread(id);
      },
    });
    await shows("3 in the inbox");
    type("rde");
    await shows("de_");
    type("qd\r");
    await shows("deqd_");
    answer();
    await shows("Words of t0");
    type("\r");
    await shows("Enter sends it");
    type("\r");
    await shows("The reply was added.");
    await inbox.settled();
    expect(asked).toEqual([["t0", { direction: "outbound", body: "deqd", expectedMessageId: null }]]);
  });

  it("begins no text if the thread cannot be read", async () => {
    const { shows, type, inbox } = open({ read: () => Promise.reject(new Error("The server is busy.")) });
    await shows("3 in the inbox");
    type("r");
    await shows("The server is busy.");
    expect(inbox.state().writing).toBeUndefined();
  });
});

describe("the screen of the inbox", () => {
  const many = Array.from({ length: 60 }, (_, at) => at);

  it("leaves one line of the terminal free, so that the text above it stays", async () => {
    const { shows, frame, resize, type } = open({}, many);
    const height = () => frame().trimEnd().split("\n").length;
    await shows("60 in the inbox");
    expect(height()).toBeLessThan(24);
    type("\r");
    await shows("lines below");
    expect(height()).toBeLessThan(24);
    type("r");
    await shows("Reply to the sender");
    expect(height()).toBeLessThan(24);
    resize(200, 50);
    await shows("The end of t0.");
    expect(height()).toBeLessThan(50);
  });

  it("can be used in a window of 20 by 5 characters, with a list, a thread and a text", async () => {
    const { shows, frame, resize, type } = open({}, many);
    const fits = () => {
      const lines = frame().split("\n");
      expect(lines.length).toBeLessThan(5);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(20);
    };
    await shows("60 in the inbox");
    resize(20, 5);
    await expect.poll(() => frame().split("\n").length).toBeLessThan(5);
    fits();
    type("\r");
    await shows("1 of 60");
    fits();
    type("rHello");
    await shows("Hello_");
    fits();
  });
});

describe("a text of another person in the inbox", () => {
  it("of two million characters is divided into lines immediately", () => {
    expect(wrapped("long word ".repeat(200_000), 78)).toHaveLength(26_667);
    expect(wrapped("x".repeat(2_000_000), 78)).toHaveLength(25_642);
  });

  it("is shown on lines of the right width, and loses only spaces at the line ends", () => {
    const letter = fc.constantFrom("a", "b", "\u6f22", "\u{20bb7}", "\u{1f600}", "\u2764\ufe0f", "e\u0301");
    const word = fc.array(letter, { minLength: 1, maxLength: 30 }).map((all) => all.join(""));
    const text = fc.array(fc.oneof(word, fc.constantFrom(" ", "  ", "\n", "\t"))).map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (given, width) => {
        const lines = wrapped(given, width);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(lines.join("").replace(/\s/g, "")).toBe(given.replace(/\s/g, ""));
      }),
    );
  });

  it("is shown if it is a newer reply of somebody else, and the own reply is kept until it is sent again", async () => {
    const sent: unknown[] = [];
    const newer = {
      ...{
        id: "m1",
        direction: "outbound",
        author: "team" as const,
        body: "Ben's answer.",
        images: [],
        videos: [],
      },
      ...{ attachments: [], createdAt: "2026-11-21T11:00:00.000Z", writtenBy: "ben@example.org" },
    };
    const { shows, type, inbox } = open({
      read: async (id) => ({ ...thread(id), messages: sent.length === 0 ? [] : [newer] }),
      send: async (_, { expectedMessageId }) => {
        sent.push(expectedMessageId);
        if (expectedMessageId === null)
          throw new ServerError({
            status: 409,
            code: "answered",
            message: "ben@example.org replied.",
            issues: [],
          });
        return { delivery: { mailedTo: [], onPage: true, missed: 0, reason: null } };
      },
    });
    await shows("3 in the inbox");
    type("r");
    await shows("Reply to the sender");
    type("Mine");
    type("\r");
    await shows("Enter sends it");
    type("\r");
    await shows("Nothing was sent. ben@example.org replied.");
    await shows("Mine_");
    expect(inbox.state().reading?.messages).toEqual([newer]);
    type("\r");
    await shows("Enter sends it");
    type("\r");
    await shows("The reply was added. The reply is only on the sender's page.");
    expect(sent).toEqual([null, "m1"]);
  });
});

import { describe, expect, it } from "vitest";
import {
  chatAddressFault,
  chatPost,
  noticeMessage,
  proposalMessage,
} from "../../../../server/feedback/chat/rules.ts";
import { type ChatFormat, chatFormats } from "../../../../src/contract/apps.ts";

const link = "https://innkeep.example/console/feedback/1/2#proposal";
const app = { id: "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb", name: "Larder" };
const proposal = proposalMessage({ app, subject: "Crash", summary: "Guard it.", link });

const addresses: Readonly<Record<ChatFormat, string>> = {
  slack: "https://hooks.slack.example/services/T0/B0/x",
  mattermost: "https://chat.example/hooks/x",
  discord: "https://discord.example/api/webhooks/1/x",
  teams: "https://teams.example/workflows/x?sig=y",
  telegram: "https://api.telegram.org/bot123:abc/sendMessage?chat_id=-100200",
  ntfy: "https://ntfy.example/larder-team?auth=QmVhcmVyIHg",
  json: "https://tools.example/in?key=x",
};

const posted = (format: ChatFormat, message = proposal) => {
  const { url, body } = chatPost(format, message, addresses[format]);
  return { url, body: JSON.parse(body) };
};

const text = `A proposal for Larder awaits a decision: ${link}\nReported by the public: “Crash”\nWritten by an agent: “Guard it.”`;

describe("a message to a chat", () => {
  it.each(["slack", "mattermost"] as const)("for %s has a text", (format) => {
    expect(posted(format)).toEqual({ url: addresses[format], body: { text } });
  });

  it("for Discord has a content that mentions nobody and shows no preview", () => {
    expect(posted("discord")).toEqual({
      url: addresses.discord,
      body: { content: text, allowed_mentions: { parse: [] }, flags: 4 },
    });
  });

  it("for Telegram goes to the chat in the address, without previews and without formatting", () => {
    expect(posted("telegram")).toEqual({
      url: "https://api.telegram.org/bot123:abc/sendMessage",
      body: { chat_id: "-100200", text, link_preview_options: { is_disabled: true } },
    });
  });

  it("for ntfy is sent as JSON to the topic in the address", () => {
    expect(posted("ntfy")).toEqual({
      url: "https://ntfy.example/?auth=QmVhcmVyIHg",
      body: {
        topic: "larder-team",
        title: "A proposal for Larder awaits a decision",
        message: text,
        click: link,
      },
    });
  });

  it("for Teams is an Adaptive Card, and its texts of other people have no Markdown", () => {
    const { url, body } = posted("teams");
    expect(url).toBe(addresses.teams);
    const [attachment] = body.attachments;
    expect([body.type, body.attachments.length]).toEqual(["message", 1]);
    expect(attachment.contentType).toBe("application/vnd.microsoft.card.adaptive");
    expect(attachment.content).toMatchObject({
      type: "AdaptiveCard",
      version: "1.2",
      actions: [{ type: "Action.OpenUrl", url: link }],
    });
    const runs = attachment.content.body.map(
      ({ type, inlines }: { type: string; inlines: { text: string }[] }) => [
        type,
        ...inlines.map((run) => run.text),
      ],
    );
    expect(runs).toEqual([
      ["RichTextBlock", "A proposal for Larder awaits a decision"],
      ["RichTextBlock", "Reported by the public: “Crash”"],
      ["RichTextBlock", "Written by an agent: “Guard it.”"],
    ]);
  });

  it("for a program has separate parts", () => {
    expect(posted("json")).toEqual({
      url: addresses.json,
      body: {
        kind: "proposal",
        app,
        title: "A proposal for Larder awaits a decision",
        url: link,
        quotes: [
          { by: "public", text: "Crash" },
          { by: "agent", text: "Guard it." },
        ],
      },
    });
  });

  it.each(chatFormats)(
    "in the format %s has the sentence and the link of a notice, and the subject of the public if there is one",
    (format) => {
      const message = (subject: string | undefined) =>
        noticeMessage({ app, kind: "storm", sentence: "A failure is reported very often", link, subject });
      const bare = JSON.stringify(posted(format, message(undefined)).body);
      expect(bare).toContain("Larder: A failure is reported very often");
      expect(bare).toContain(link);
      expect(bare).not.toMatch(/public/i);
      expect(JSON.stringify(posted(format, message("Crash")).body)).toContain("Crash");
    },
  );
});

describe("words of other people in a chat message", () => {
  const hostile = [
    "https://evil.example/login www.evil.example",
    "@everyone @here <!channel> <@123> <#456> @ada",
    "[Open](https://evil.example) **Approved** `rm` ~~x~~ ||y|| > quote # title",
    "/start #tag $CASH",
    "a\u202eb\u200bc\u0007\nsecond line",
    "“end” of the quotation\\",
  ];

  /** Returns how the chat displays plain text. */
  const made: Readonly<Record<Exclude<ChatFormat, "json">, RegExp>> = {
    slack: /<!|<@|https:\/\/evil|www\.evil|@everyone|(?<!\\)\*\*/,
    mattermost: /@everyone|@here|@ada|(?<!\\)\]\(|https:\/\/evil|www\.evil|(?<!\\)\*\*/,
    discord: /https:\/\/evil|(?<!\\)<[@#!]|(?<!\\)\*\*|(?<!\\)\|\||(?<!\\)\[|(?<!\\)`/,
    teams: /https:\/\/evil|www\.evil/,
    telegram: /https:\/\/evil|www\.evil|@everyone|\/start|#tag|\$CASH/,
    ntfy: /https:\/\/evil|www\.evil/,
  };

  it.each(Object.entries(made))("cause no mention, no link and no formatting in %s", (name, pattern) => {
    const format = chatFormats.find((one) => one === name) ?? "slack";
    for (const words of hostile) {
      const message = proposalMessage({ app: { ...app, name: words }, subject: words, summary: words, link });
      const { body } = posted(format, message);
      const said: string = body.text ?? body.content ?? body.message;
      const shown = (said ?? JSON.stringify(body)).replaceAll(link, "");
      expect(shown).not.toMatch(pattern);
      for (const hidden of ["\u202e", "\u200b", "\u0007"]) expect(shown).not.toContain(hidden);
      if (said !== undefined) expect(said.split("\n")).toHaveLength(3);
    }
  });

  it.each(chatFormats)("never make a message for %s longer than the chat accepts", (format) => {
    for (const letter of ["*", "<", "👩‍💻", "\u{1F600}", "a.b"]) {
      const words = letter.repeat(5_000);
      const message = proposalMessage({ app: { ...app, name: words }, subject: words, summary: words, link });
      const { body } = chatPost(format, message, addresses[format]);
      const { content, text: said, message: told } = JSON.parse(body);
      expect(Buffer.byteLength(body)).toBeLessThan(28_000);
      if (content !== undefined) expect(content.length).toBeLessThanOrEqual(2_000);
      if (format === "telegram") expect(said.length).toBeLessThanOrEqual(4_096);
      if (told !== undefined) expect(Buffer.byteLength(told)).toBeLessThanOrEqual(4_096);
    }
  });
});

describe("the address of a chat", () => {
  it("is accepted if it has the form of its chat", () => {
    for (const format of chatFormats) expect(chatAddressFault(format, addresses[format])).toBeUndefined();
  });

  it.each([
    ["telegram", "https://api.telegram.org/bot123:abc/sendMessage"],
    ["telegram", "https://api.telegram.org/bot123:abc/getMe?chat_id=1"],
    ["ntfy", "https://ntfy.example/"],
    ["ntfy", "https://ntfy.example/a/b"],
  ] as const)("of the format %s cannot be %s", (format, address) => {
    expect(chatAddressFault(format, address)).toMatch(/^must be/);
  });
});

import { createRequire } from "node:module";
import type { ApiMethods } from "@grammyjs/types";
import type { CommandResponse } from "@mattermost/types/integrations";
import type { MessageAttachment } from "@slack/types";
import type * as adaptiveCards from "adaptivecards";
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { chatBodies, noticeMessage, proposalMessage } from "../../../../server/feedback/chat/rules.ts";
import { type NtfyMessage, ntfyLimits } from "../../../support/chat/ntfy-publishing.ts";

// The types are published types for these chats. The compiler compares them with the bodies of the server.

const app = { id: "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb", name: "Larder" };
const link = "https://innkeep.example/console/feedback/1/2";
const messages = [
  proposalMessage({ app, subject: "Crash", summary: "Guard it.", link }),
  noticeMessage({
    app,
    kind: "storm",
    sentence: "A failure is reported very often",
    link,
    subject: undefined,
  }),
];

/** Accepts a body of a type, without further fields. */
const bodyFor =
  <Wanted extends object>() =>
  <Body extends Wanted>(body: Body & Readonly<Record<Exclude<keyof Body, keyof Wanted>, never>>) =>
    body;

const ofSlack = bodyFor<Required<Pick<MessageAttachment, "text">>>();
const ofMattermost = bodyFor<Pick<CommandResponse, "text">>();
const ofDiscord = bodyFor<RESTPostAPIWebhookWithTokenJSONBody>();
const ofTelegram = bodyFor<Parameters<ApiMethods<unknown>["sendMessage"]>[0]>();
const ofNtfy = bodyFor<NtfyMessage>();

describe.each(messages)("the body of a message about a $kind", (message) => {
  it("matches the published types of Slack, Mattermost, Discord and Telegram", () => {
    const { chat_id } = ofTelegram(
      chatBodies.telegram(message, new URL("https://api.telegram.org/bot1:a/sendMessage?chat_id=-100200")),
    );
    expect(chat_id).toBe("-100200");
    for (const { text } of [ofSlack(chatBodies.slack(message)), ofMattermost(chatBodies.mattermost(message))])
      expect(text).toContain(link);
    expect(ofDiscord(chatBodies.discord(message)).content).toContain(link);
  });

  it("has the form that the documentation of ntfy describes", () => {
    const body = ofNtfy(chatBodies.ntfy(message, new URL("https://ntfy.example/larder-team")));
    expect(body.topic).toMatch(ntfyLimits.topic);
    expect(body.click).toMatch(ntfyLimits.click);
    expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(ntfyLimits.messageBytes);
  });

  it("is an Adaptive Card that the library of Adaptive Cards reads completely", () => {
    const [attachment] = chatBodies.teams(message).attachments;
    expect(faultsOf(attachment?.content ?? {})).toEqual([]);
  });
});

it("the library of Adaptive Cards reports a fault in a card", () => {
  const faults = faultsOf({
    type: "AdaptiveCard",
    version: "1.2",
    body: [{ type: "RichTextBlock", inlines: [{ type: "Unknown" }] }, { type: "Nothing" }],
  });
  expect(faults).not.toEqual([]);
});

/** Returns the errors of the library for a card of version 1.2, which Teams accepts from a webhook. */
function faultsOf(card: Readonly<Record<string, unknown>>): string[] {
  const { AdaptiveCard, SerializationContext, Versions } = library();
  const read = new AdaptiveCard();
  const context = new SerializationContext(Versions.v1_2);
  read.parse(card, context);
  const events = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
  const given = Array.isArray(card.body) ? card.body.length : 0;
  return read.getItemCount() === given ? events : [...events, "It lost a part of the card."];
}

/** Loads the file of the library that needs no browser. */
function library(): typeof adaptiveCards {
  return createRequire(import.meta.url)("adaptivecards/dist/adaptivecards.js");
}

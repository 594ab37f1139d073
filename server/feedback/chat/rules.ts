import { type ChatFormat, chatFormats } from "../../../src/contract/apps.ts";
import { oneLine, quoted, unlinkedLine, unmade } from "../../../src/words/visible.ts";

/**
 * A message for the chat of an app. It begins with a sentence of this program. Texts that other people wrote follow.
 * (rules A8, W3)
 */
export interface ChatMessage {
  readonly app: { readonly id: string; readonly name: string };
  /** The kind of event, such as `proposal`. */
  readonly kind: string;
  /** The sentence of this program, as its parts before and after the name of the app. */
  readonly sentence: readonly [before: string, after: string];
  readonly link: string;
  readonly words: readonly Words[];
}

/** A text that other people wrote: who wrote it, and how many of its characters are shown at most. */
interface Words {
  readonly by: "Reported by the public" | "Written by an agent";
  readonly text: string;
  readonly most: number;
}

/** The body that is posted, and the address to which it is posted. */
export interface ChatPost {
  readonly url: string;
  /** The body as JSON. */
  readonly body: string;
}

const mostInChat = { appName: 100, subject: 100, summary: 500 } as const;

/** Returns the message about a proposal. (rule A8) */
export const proposalMessage = ({
  app,
  subject,
  summary,
  link,
}: Pick<ChatMessage, "app" | "link"> & {
  readonly subject: string;
  readonly summary: string;
}): ChatMessage => ({
  ...{ app, kind: "proposal", sentence: ["A proposal for ", " awaits a decision"], link },
  words: [
    { by: "Reported by the public", text: subject, most: mostInChat.subject },
    { by: "Written by an agent", text: summary, most: mostInChat.summary },
  ],
});

/** Returns a message with a sentence about an app, and with the subject of a thread if there is one. */
export const noticeMessage = ({
  app,
  kind,
  sentence,
  link,
  subject,
}: Pick<ChatMessage, "app" | "kind" | "link"> & {
  readonly sentence: string;
  readonly subject: string | undefined;
}): ChatMessage => ({
  ...{ app, kind, sentence: ["", `: ${sentence}`], link },
  words:
    subject === undefined ? [] : [{ by: "Reported by the public", text: subject, most: mostInChat.subject }],
});

type Escape = (text: string, most: number) => string;

/**
 * Returns the lines of a message: the sentence of this program with the link, then each text of other people on a
 * separate line.
 */
const linesOf = ({ app, sentence: [before, after], link, words }: ChatMessage, cleaned: Escape): string[] => [
  `${before}${cleaned(app.name, mostInChat.appName)}${after}: ${link}`,
  ...words.map(({ by, text, most }) => `${by}: ${quoted(cleaned(text, most))}`),
];

/** Returns the sentence of this program without a link, as the title of a message. */
const titleOf = ({ app, sentence: [before, after] }: ChatMessage, cleaned: Escape): string =>
  `${before}${cleaned(app.name, mostInChat.appName)}${after}`;

/** Discord interprets Markdown and mentions, but not HTML entities. */
const forDiscord: Escape = (text, most) => unlinkedLine(text, most).replace(/[\\`*_~[\]()|#<>:-]/g, "\\$&");

/** In Telegram, `/word` is a command, and `#word` and `$WORD` are links to a search. */
const forTelegram: Escape = (text, most) => unlinkedLine(text, most).replace(/[/#$](?=\S)/g, "$& ");

const withoutQuery = (url: URL, path: string): string => new URL(path, url.origin).href;

/**
 * The bodies for each format, as the documentation of that chat describes. The tests compare their types with published
 * types for these chats. (rule N9)
 */
export const chatBodies = {
  slack: (message: ChatMessage) => ({ text: linesOf(message, unmade).join("\n") }),
  mattermost: (message: ChatMessage) => ({ text: linesOf(message, unmade).join("\n") }),
  discord: (message: ChatMessage) => ({
    content: linesOf(message, forDiscord).join("\n"),
    allowed_mentions: { parse: [] },
    // With this flag, Discord shows no previews of links.
    flags: 4,
  }),
  teams: (message: ChatMessage) => teamsMessage(message),
  telegram: (message: ChatMessage, address: URL) => ({
    chat_id: address.searchParams.get("chat_id") ?? "",
    text: linesOf(message, forTelegram).join("\n"),
    link_preview_options: { is_disabled: true },
  }),
  ntfy: (message: ChatMessage, address: URL) => ({
    topic: address.pathname.slice(1),
    title: titleOf(message, unlinkedLine),
    message: linesOf(message, unlinkedLine).join("\n"),
    click: message.link,
  }),
  json: (message: ChatMessage) => ({
    kind: message.kind,
    app: { id: message.app.id, name: oneLine(message.app.name, mostInChat.appName) },
    title: titleOf(message, oneLine),
    url: message.link,
    quotes: message.words.map(({ by, text, most }) => ({
      by: by === "Reported by the public" ? "public" : "agent",
      text: oneLine(text, most),
    })),
  }),
} satisfies Record<ChatFormat, (message: ChatMessage, address: URL) => object>;

/**
 * The functions that return the address to which a message is posted. Only formats that do not use the entered address
 * have such a function.
 */
const targets: Readonly<Partial<Record<ChatFormat, (address: URL) => string>>> = {
  telegram: (address) => withoutQuery(address, address.pathname),
  ntfy: (address) => `${withoutQuery(address, "/")}${address.search}`,
};

/** A card of Microsoft Teams. Texts of other people are in text runs, because Teams interprets no Markdown there. */
const teamsMessage = (message: ChatMessage) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.2",
        body: [
          richText(titleOf(message, unlinkedLine), "Bolder"),
          ...message.words.map(({ by, text, most }) =>
            richText(`${by}: ${quoted(unlinkedLine(text, most))}`, "Default"),
          ),
        ],
        actions: [{ type: "Action.OpenUrl", title: "Open", url: message.link }],
      },
    },
  ],
});

const richText = (text: string, weight: "Bolder" | "Default") => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text, weight }],
});

/** Returns what to post to a chat. `address` is the plain address that an owner entered. */
export function chatPost(format: ChatFormat, message: ChatMessage, address: string): ChatPost {
  return {
    url: chatTarget(format, address),
    body: JSON.stringify(chatBodies[format](message, new URL(address))),
  };
}

/** Returns the address to which messages are posted. `address` is the plain address that an owner entered. */
export const chatTarget = (format: ChatFormat, address: string): string => {
  const entered = new URL(address);
  return targets[format]?.(entered) ?? entered.href;
};

/** Returns a stored format; `slack` for an unknown one. */
export const chatFormatOf = (stored: string): ChatFormat =>
  chatFormats.find((format) => format === stored) ?? "slack";

/** Returns why an address does not fit its format; undefined if it fits. */
export function chatAddressFault(format: ChatFormat, address: string): string | undefined {
  const { pathname, searchParams } = new URL(address);
  if (format === "telegram" && !(/^\/bot[^/]+\/sendMessage$/.test(pathname) && searchParams.get("chat_id")))
    return "must be of the form https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>";
  if (format === "ntfy" && !/^\/[\w-]{1,64}$/.test(pathname))
    return "must be the address of a topic, such as https://ntfy.sh/my-topic";
  return undefined;
}

/**
 * After this many failed attempts to send a message, owners get a notice. The attempts take about 85 minutes. (rule N2)
 */
export const failingAttempts = 10;

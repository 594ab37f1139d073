import { type ChatFormat, chatFormats } from "../../../src/contract/apps.ts";
import { oneLine, quoted, unlinkedLine, unmade } from "../../../src/words/visible.ts";

/** A chat message: first a sentence from the server, then texts from senders or agents. (rules A8, W3) */
export interface ChatMessage {
  readonly app: { readonly id: string; readonly name: string };
  /** The kind of the event that the message is about, such as `proposal`. */
  readonly kind: string;
  /** The two parts of the server's sentence. The name of the app comes between the two parts. */
  readonly sentence: readonly [before: string, after: string];
  readonly link: string;
  readonly words: readonly Words[];
}

/** A text that a sender or an agent wrote. At most `most` characters of it are shown. */
interface Words {
  readonly by: "Reported by the public" | "Written by an agent";
  readonly text: string;
  readonly most: number;
}

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

/** Returns a message with a sentence about an app. `subject` is undefined if the message is about no thread. */
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

/** Returns the lines of a message: the server's sentence with the link, and one line for each quoted text. */
const linesOf = ({ app, sentence: [before, after], link, words }: ChatMessage, cleaned: Escape): string[] => [
  `${before}${cleaned(app.name, mostInChat.appName)}${after}: ${link}`,
  ...words.map(({ by, text, most }) => `${by}: ${quoted(cleaned(text, most))}`),
];

/** Returns the server's sentence without a link, as the title of a message. */
const titleOf = ({ app, sentence: [before, after] }: ChatMessage, cleaned: Escape): string =>
  `${before}${cleaned(app.name, mostInChat.appName)}${after}`;

/** Escapes the characters of Markdown and mentions with a backslash. Discord does not support HTML entities. */
const forDiscord: Escape = (text, most) => unlinkedLine(text, most).replace(/[\\`*_~[\]()|#<>:-]/g, "\\$&");

/** Adds a space after `/`, `#` and `$`, because Telegram makes links of `/word`, `#word` and `$WORD`. */
const forTelegram: Escape = (text, most) => unlinkedLine(text, most).replace(/[/#$](?=\S)/g, "$& ");

const withoutQuery = (url: URL, path: string): string => new URL(path, url.origin).href;

/**
 * Creates the body of a message for each chat program. Tests compare these types with the programs' published types.
 * (rule N9)
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
 * Functions that convert the address that an owner entered to the address for posts. A format without a
 * function posts to the entered address.
 */
const targets: Readonly<Partial<Record<ChatFormat, (address: URL) => string>>> = {
  telegram: (address) => withoutQuery(address, address.pathname),
  ntfy: (address) => `${withoutQuery(address, "/")}${address.search}`,
};

/** Returns a card for Microsoft Teams. Quoted texts are in text runs, in which Teams does not interpret Markdown. */
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

/** Returns the request that posts a message to a chat. `address` is the decrypted address that an owner entered. */
export function chatPost(format: ChatFormat, message: ChatMessage, address: string): ChatPost {
  return {
    url: chatTarget(format, address),
    body: JSON.stringify(chatBodies[format](message, new URL(address))),
  };
}

/** Returns the address to which messages are posted. `address` is the decrypted address that an owner entered. */
export const chatTarget = (format: ChatFormat, address: string): string => {
  const entered = new URL(address);
  return targets[format]?.(entered) ?? entered.href;
};

/** Returns the format of a chat. An unknown format becomes `slack`. */
export const chatFormatOf = (stored: string): ChatFormat =>
  chatFormats.find((format) => format === stored) ?? "slack";

/** Returns why an address cannot be used with a chat format; undefined if it can be used. */
export function chatAddressFault(format: ChatFormat, address: string): string | undefined {
  const { pathname, searchParams } = new URL(address);
  if (format === "telegram" && !(/^\/bot[^/]+\/sendMessage$/.test(pathname) && searchParams.get("chat_id")))
    return "must be of the form https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>";
  if (format === "ntfy" && !/^\/[\w-]{1,64}$/.test(pathname))
    return "must be the address of a topic, such as https://ntfy.sh/my-topic";
  return undefined;
}

/** The number of failed attempts after which owners get a notice. These attempts take about 85 minutes. (rule N2) */
export const failingAttempts = 10;

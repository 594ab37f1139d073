import * as z from "zod/mini";
import { endpoint, roles } from "./endpoint.ts";
import { appId } from "./example-values.ts";
import { instant, openEnum, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";
import { accountTimeZone } from "./sign-in.ts";

/** The kinds of notices. (rule N1) */
export const noticeKinds = [
  ...(["report", "answer", "assigned", "proposal", "approval", "work"] as const),
  ...(["slot", "testers", "storm", "delivery"] as const),
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/**
 * `mail` collects notices for 15 minutes. `daily` sends one mail a day. `chat` and `browser` send no mails.
 * (rules N1, N8, N10)
 */
export const noticeWays = ["mail", "daily", "chat", "browser"] as const;
export type NoticeWay = (typeof noticeWays)[number];
/** The ways that send a notice only to the member, and not to the chat of the whole team. */
export type OwnWay = Exclude<NoticeWay, "chat">;
/** The ways that send a notice by mail. */
export type MailWay = Extract<NoticeWay, "mail" | "daily">;

/** A time of the day, such as `22:00`. */
const clockTime = text(5, 5).check(
  z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of the day such as 22:00"),
);

/** The hours in which no notices are sent. The end may be on the next day. */
const QuietHours = z.object({ from: z.string(), to: z.string() });
export type QuietHours = z.output<typeof QuietHours>;

const ways = z.array(openEnum(noticeWays));

export const KindChoice = z.object({
  kind: openEnum(noticeKinds),
  ways,
  /** The ways that you can choose for this kind in this app. */
  offered: ways,
  /** True if `ways` are the default, because you have not changed them. */
  byDefault: z.boolean(),
});
export type KindChoice = z.output<typeof KindChoice>;

/** The notices that a member gets about one app. */
export const AppNotices = z.object({
  appId: uuid,
  name: z.string(),
  role: z.enum(roles),
  /** The kinds that your role can get, in a fixed order. */
  kinds: z.array(KindChoice),
  /** The number of repeats of a report within an hour that causes a notice `storm`. */
  stormPerHour: z.int(),
});
export type AppNotices = z.output<typeof AppNotices>;

export const OwnNotices = z.object({
  timezone: z.string(),
  quietHours: z.nullable(QuietHours),
  /** Why you get no mail: the server sends none, or your address is not verified. Null if you get mail. */
  noMail: z.nullable(openEnum(["server_sends_none", "address_unverified"])),
  /** The number of browsers in which you get notices now. */
  browsers: z.int(),
  apps: z.array(AppNotices),
});
export type OwnNotices = z.output<typeof OwnNotices>;

const givenWays = z.array(z.enum(noticeWays)).check(z.maxLength(noticeWays.length));

/** The ways that a member chooses for each kind of notice. Null restores the default. */
const GivenChoices = z.object({
  report: z.optional(z.nullable(givenWays)),
  answer: z.optional(z.nullable(givenWays)),
  assigned: z.optional(z.nullable(givenWays)),
  proposal: z.optional(z.nullable(givenWays)),
  approval: z.optional(z.nullable(givenWays)),
  work: z.optional(z.nullable(givenWays)),
  slot: z.optional(z.nullable(givenWays)),
  testers: z.optional(z.nullable(givenWays)),
  storm: z.optional(z.nullable(givenWays)),
  delivery: z.optional(z.nullable(givenWays)),
});
export type GivenChoices = z.output<typeof GivenChoices>;

/** A browser that shows notices to a person. */
export const NoticeBrowser = z.object({
  id: uuid,
  /** The browser and its operating system. Null if the browser did not name them at the sign-in. */
  browser: z.nullable(z.string()),
  createdAt: instant,
  lastNoticeAt: z.nullable(instant),
  /** The time at which notices in this browser end if the person does not sign in with it again. */
  expiresAt: instant,
  /** Whether this browser sent the request. */
  current: z.boolean(),
});
export type NoticeBrowser = z.output<typeof NoticeBrowser>;

/** Returns the schema of bytes in base64url without padding. Browsers send the keys of a subscription in this form. */
const bytes = (characters: number) =>
  text(characters, characters).check(
    z.regex(/^[\w-]+$/, `must be base64url of ${Math.floor((characters * 3) / 4)} bytes`),
  );

const path = "/api/v1/console/me/notices";

export const notices = {
  read: endpoint({
    method: "GET",
    path,
    summary: "Read which notices you get about each of your apps, and how",
    auth: "console",
    role: "account",
    scope: "feedback:read",
    success: { status: 200, body: OwnNotices },
    errors: [],
  }),
  change: endpoint({
    method: "PUT",
    path,
    summary: "Change which notices you get, and how; fields that are left out do not change",
    auth: "console",
    role: "account",
    scope: "feedback:write",
    body: z.object({
      timezone: z.optional(accountTimeZone),
      quietHours: z.optional(z.nullable(z.object({ from: clockTime, to: clockTime }))),
      apps: z.optional(
        z
          .array(
            z.object({
              appId: uuid,
              kinds: z.optional(GivenChoices),
              stormPerHour: z.optional(
                z
                  .int()
                  .check(z.minimum(2, "must be at least 2"), z.maximum(10_000, "must be at most 10,000")),
              ),
            }),
          )
          .check(z.maxLength(limits.noticeApps, `must have at most ${limits.noticeApps} apps`)),
      ),
    }),
    success: { status: 200, body: OwnNotices },
    errors: ["not_found"],
    example: {
      request: {
        timezone: "Europe/Berlin",
        quietHours: { from: "22:00", to: "07:00" },
        apps: [{ appId, kinds: { report: ["daily"], answer: null } }],
      },
    },
  }),
  browsers: endpoint({
    method: "GET",
    path: `${path}/browsers`,
    summary: "List the browsers that show you notices, newest first",
    auth: "session",
    role: "account",
    success: {
      status: 200,
      body: z.object({
        /** The public key of this server (VAPID). A browser needs it to subscribe. */
        key: z.string(),
        items: z.array(NoticeBrowser),
      }),
    },
    errors: [],
  }),
  addBrowser: endpoint({
    method: "POST",
    path: `${path}/browsers`,
    summary: "Let the browser of this session show you notices",
    auth: "session",
    role: "account",
    body: z.object({
      /** The address that the browser got from its push service. */
      endpoint: webUrl(limits.url),
      /** The two keys of the subscription. */
      p256dh: bytes(87),
      auth: bytes(22),
      /** The earlier push address of the browser. The server replaces only an address of the same person. */
      replaces: z.optional(webUrl(limits.url)),
    }),
    success: { status: 201, body: NoticeBrowser },
    errors: ["not_found", "wrong_state"],
    example: {
      request: {
        endpoint: "https://push.example/send/dYJ4mQ",
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
      },
    },
  }),
  removeBrowser: endpoint({
    method: "DELETE",
    path: `${path}/browsers/:browserId`,
    summary: "Stop a browser from showing you notices",
    auth: "session",
    role: "account",
    params: z.object({ browserId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;

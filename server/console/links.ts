import type { IncomingMessage } from "node:http";
import type { Settings } from "../settings/settings.ts";

/**
 * Returns the addresses of pages and forms, below `at`. Ids such as `:name` give the path pattern of a route.
 */
export function createLinks(at: string) {
  const app =
    (noun: string) =>
    (appId: string, part = "") =>
      `${at}/${noun}/${appId}${part && `/${part}`}`;
  return {
    home: at || "/",
    signIn: `${at}/sign-in`,
    recover: `${at}/recover`,
    newPassword: (token: string) => `${at}/recover/${token}`,
    newAccount: (token: string) => `${at}/sign-up/${token}`,
    signOut: `${at}/sign-out`,
    asset: (name: string) => `${at}/assets/${name}`,
    /**
     * The service worker for notices. A service worker controls only addresses below its folder, so this file
     * is at the top.
     */
    pushWorker: `${at}/push-worker.js`,
    search: `${at}/search`,
    inbox: app("feedback"),
    /** The inbox of all apps. */
    allFeedback: `${at}/feedback`,
    /** The forms of the inbox of all apps. */
    allFeedbackForm: (form: "change" | "undo") => `${at}/all-feedback/${form}`,
    ...triageLinks(at),
    /** The short address of a thread, with the number of the thread instead of its id. */
    numbered: (appId: string, number: string) => `${at}/t/${appId}/${number}`,
    thread: (appId: string, id: string, part = "") => `${at}/feedback/${appId}/${id}${part && `/${part}`}`,
    faq: (appId: string, id: string, part = "") => `${at}/faqs/${appId}/${id}${part && `/${part}`}`,
    changelog: app("changelog"),
    entry: (appId: string, id: string, part = "") => `${at}/changelog/${appId}/${id}${part && `/${part}`}`,
    testing: app("testing"),
    listing: (appId: string, id: string, part = "") => `${at}/testing/${appId}/${id}${part && `/${part}`}`,
    cycle: (appId: string, id: string, part = "") => `${at}/cycles/${appId}/${id}${part && `/${part}`}`,
    slot: (
      {
        appId,
        cycleId,
        slotId,
      }: { readonly appId: string; readonly cycleId: string; readonly slotId: string },
      part: string,
    ) => `${at}/cycles/${appId}/${cycleId}/seats/${slotId}/${part}`,
    newApp: `${at}/new-app`,
    newStart: `${at}/start`,
    start: app("start"),
    app: app("apps"),
    /** The page for the export of an app's data. */
    data: app("data"),
    importApp: `${at}/import`,
    webhooks: app("webhooks"),
    webhook: (appId: string, id: string, part = "") => `${at}/webhooks/${appId}/${id}${part && `/${part}`}`,
    members: app("members"),
    member: (appId: string, id: string, part: string) => `${at}/members/${appId}/${id}/${part}`,
    invitation: (token: string, part = "") => `${at}/invitations/${token}${part && `/${part}`}`,
    key: (appId: string, id: string, part: string) => `${at}/apps/${appId}/keys/${id}/${part}`,
    tokens: `${at}/tokens`,
    token: (id: string, part: string) => `${at}/tokens/${id}/${part}`,
    signInMethods: `${at}/sign-in-methods`,
    password: `${at}/sign-in-methods/password`,
    beginSecondFactor: `${at}/sign-in-methods/second-factor`,
    confirmSecondFactor: `${at}/sign-in-methods/second-factor/confirm`,
    renewRecoveryCodes: `${at}/sign-in-methods/second-factor/recovery-codes`,
    removeSecondFactor: `${at}/sign-in-methods/second-factor/remove`,
    passkeys: `${at}/sign-in-methods/passkeys`,
    beginPasskey: `${at}/sign-in-methods/passkeys/begin`,
    removePasskey: (id: string) => `${at}/sign-in-methods/passkeys/${id}/remove`,
    ...linksOfAccount(`${at}/account`),
    ...linksOfPeople(`${at}/people`),
    devices: `${at}/devices`,
    device: (id: string, part: string) => `${at}/devices/${id}/${part}`,
    audit: `${at}/audit`,
    ...linksOfDrafts(`${at}/drafts`),
  };
}

const linksOfDrafts = (at: string) => ({
  drafts: at,
  draftsOfPage: `${at}/of-page`,
  saveDrafts: `${at}/save`,
  discardDraft: `${at}/discard`,
});

const linksOfAccount = (at: string) => ({
  account: at,
  savePreferences: `${at}/preferences`,
  saveName: `${at}/name`,
  notices: (appId?: string) => `${at}/notices${appId === undefined ? "" : `?app=${appId}`}`,
  noticesOf: (appId: string) => `${at}/notices/${appId}`,
  quietHours: `${at}/notices/hours`,
  noticeBrowsers: `${at}/notices/browsers`,
  removeNoticeBrowser: (id: string) => `${at}/notices/browsers/${id}/remove`,
  deleteAccount: `${at}/delete`,
  endSession: (id: string) => `${at}/sessions/${id}/end`,
  endOtherSessions: `${at}/end-other-sessions`,
});

const linksOfPeople = (at: string) => ({
  people: at,
  findPerson: `${at}/find`,
  erasePerson: `${at}/erase`,
  receipt: (id: string) => `${at}/${id}`,
  checkReceipt: (id: string) => `${at}/${id}/check`,
});

/** Returns the addresses of the FAQ and of the pages on which a team sorts and answers its feedback. */
const triageLinks = (at: string) => ({
  faqs: (appId: string, part = "") => `${at}/faqs/${appId}${part && `/${part}`}`,
  blocked: (appId: string, part = "") => `${at}/blocked/${appId}${part && `/${part}`}`,
  automaticMails: (appId: string, part = "") => `${at}/automatic-mails/${appId}${part && `/${part}`}`,
  original: (mailId: string) => `${at}/mail-originals/${mailId}/download`,
  numbers: (appId: string) => `${at}/numbers/${appId}`,
  views: (appId: string) => `${at}/views/${appId}`,
  view: (appId: string, id: string, part: string) => `${at}/views/${appId}/${id}/${part}`,
  tags: (appId: string) => `${at}/tags/${appId}`,
  tag: (appId: string, id: string, part: string) => `${at}/tags/${appId}/${id}/${part}`,
  savedReplies: (appId: string) => `${at}/saved-replies/${appId}`,
  savedReply: (appId: string, id: string, part: string) => `${at}/saved-replies/${appId}/${id}/${part}`,
});

export type Links = ReturnType<typeof createLinks>;

/** The path of the console. `mountedAt` is the path in incoming requests. `href` is the path in links. */
export interface ConsolePath {
  readonly mountedAt: string;
  readonly href: string;
}

/**
 * Returns both paths of the console, without a final slash. They differ if a proxy removes the path of
 * `baseUrl`.
 */
export function consolePathOf({
  baseUrl,
  consoleUrl,
}: Pick<Settings, "baseUrl" | "consoleUrl">): ConsolePath {
  const href = new URL(consoleUrl).pathname.replace(/\/$/, "");
  const below = consoleUrl === baseUrl || consoleUrl.startsWith(`${baseUrl}/`);
  return { href, mountedAt: below ? consoleUrl.slice(baseUrl.length) : href };
}

/** Returns the path and query of the page whose form was sent; empty if the browser sends no `Referer`. */
export function pageOfForm({ req }: { readonly req: IncomingMessage }): string {
  const { referer } = req.headers;
  if (referer === undefined || !URL.canParse(referer)) return "";
  const { pathname, search } = new URL(referer);
  return pathname + search;
}

/** Returns `given` if it is a path on this server, otherwise `otherwise`. */
export function returnPath(given: string, consoleUrl: string, otherwise: string): string {
  if (!given.startsWith("/") || !URL.canParse(given, consoleUrl)) return otherwise;
  // Backslashes and `//host` could lead to another server.
  const url = new URL(given, consoleUrl);
  const path = url.pathname + url.search;
  return url.origin === new URL(consoleUrl).origin && !path.startsWith("//") ? path : otherwise;
}

import type { App } from "../../../src/contract/apps.ts";
import type { Role } from "../../../src/contract/endpoint.ts";
import { suffices } from "../../access/members/rules.ts";
import type { Links } from "../../console/links.ts";
import type { FaqQuestion, ReleaseTitle } from "../../console/page-reads.ts";
import { hasPattern } from "./matches.ts";
import { readQuery } from "./rules.ts";

/** A page of the console, an entry of a FAQ or a release note that a search offers. */
export interface Destination {
  readonly kind: "Page" | "FAQ" | "Release note";
  readonly name: string;
  /** The name of the app to which the destination belongs. */
  readonly app: string | undefined;
  readonly href: string;
}

/** The maximum number of destinations of each kind that a search offers. */
const most = 5;

/**
 * Returns the pages, FAQ entries and release notes whose names the query finds, in any language. Each result has the
 * name in the language in which the query found it. A query with operators finds no destinations. (rule F57)
 */
export function destinationsOf(
  q: string,
  links: Links,
  given: {
    readonly apps: readonly App[];
    readonly faqs: readonly FaqQuestion[];
    readonly releases: readonly ReleaseTitle[];
  },
): Destination[] {
  const { marked, facts, none, readNone, all } = readQuery(q);
  const isPlain = facts.length + none.length + readNone.length === 0 && all.length > 0;
  if (!isPlain || marked.length === 0) return [];
  const hasAll = (...texts: readonly string[]) =>
    marked.every((pattern) =>
      hasPattern(
        texts.map((text) => ({ kind: "subject", text })),
        pattern,
      ),
    );
  const pages = pagesOf(links, given.apps).filter(({ name, app }) => hasAll(name, app ?? ""));
  const apps = new Map(given.apps.map(({ id, name }) => [id, name]));
  const found = <Entry extends { readonly appId: string }>(
    entries: readonly Entry[],
    kind: Destination["kind"],
    of: { readonly names: (entry: Entry) => readonly string[]; readonly href: (entry: Entry) => string },
  ): Destination[] =>
    firstOf(entries, (entry) => {
      const name = of.names(entry).find((one) => hasAll(one));
      return name === undefined
        ? undefined
        : { kind, name, app: apps.get(entry.appId), href: of.href(entry) };
    });
  return [
    ...pages.slice(0, most),
    ...found(given.faqs, "FAQ", {
      names: (entry) => [entry.question, ...translationsIn(entry)],
      href: ({ appId, id }) => links.faq(appId, id),
    }),
    ...found(given.releases, "Release note", {
      names: (entry) => [entry.title, ...translationsIn(entry)].map((title) => `${entry.version}: ${title}`),
      href: ({ appId, id }) => links.entry(appId, id),
    }),
  ];
}

const translationsIn = ({ translated }: { readonly translated: string | null }): string[] => {
  const names: (string | null)[] = translated === null ? [] : JSON.parse(translated);
  return names.filter((name) => name !== null);
};

/** Returns the first results, at most `most`. */
function firstOf<Given, Result>(
  given: readonly Given[],
  resultOf: (one: Given) => Result | undefined,
): Result[] {
  const results: Result[] = [];
  for (const one of given) {
    const result = resultOf(one);
    if (result !== undefined) results.push(result);
    if (results.length === most) break;
  }
  return results;
}

function pagesOf(links: Links, apps: readonly App[]): Destination[] {
  const ofAll: readonly (readonly [string, string])[] = [
    ["Decisions", links.home],
    ["New app", links.newApp],
    ["Your account", links.account],
    ["Tokens", links.tokens],
    ["Devices", links.devices],
    ["Sign-in methods", links.signInMethods],
    ["Erase a person", links.people],
    ["Audit log", links.audit],
    ["Unsent text", links.drafts],
    ["Your notices", links.notices()],
    ["Inbox of all apps", links.allFeedback],
    ["Import an app", links.importApp],
    ["First steps with an app", links.newStart],
  ];
  const ofApp: readonly (readonly [name: string, of: (id: string) => string, needs: Role])[] = [
    ["Inbox", links.inbox, "viewer"],
    ["FAQ", links.faqs, "viewer"],
    ["Changelog", links.changelog, "viewer"],
    ["Testing", links.testing, "viewer"],
    ["Numbers", links.numbers, "viewer"],
    ["Members", links.members, "viewer"],
    ["Settings and keys", links.app, "viewer"],
    ["Tags", links.tags, "viewer"],
    ["Saved replies", links.savedReplies, "viewer"],
    ["Notices", links.notices, "viewer"],
    ["Blocked senders", links.blocked, "maintainer"],
    ["Mail from programs", links.automaticMails, "maintainer"],
    ["Webhooks", links.webhooks, "owner"],
    ["Data and export", links.data, "owner"],
  ];
  const page = (name: string, href: string, app?: string): Destination => ({ kind: "Page", name, app, href });
  return [
    ...ofAll.map(([name, href]) => page(name, href)),
    ...apps.flatMap((app) =>
      ofApp
        .filter(([, , needs]) => suffices(app.role, needs))
        .map(([name, of]) => page(name, of(app.id), app.name)),
    ),
  ];
}

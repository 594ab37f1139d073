import type { App } from "../../../src/contract/apps.ts";
import type { Links } from "../../console/links.ts";
import type { FaqQuestion } from "../../console/page-reads.ts";
import { hasPattern } from "./matches.ts";
import { readQuery } from "./query.ts";

/** A page of the console or an entry of a FAQ that a search offers. */
export interface Destination {
  readonly kind: "Page" | "FAQ";
  readonly name: string;
  /** The app to which it belongs. */
  readonly app: string | undefined;
  readonly href: string;
}

/** The most pages, and the most entries, that a search offers. */
const most = 5;

/** Returns the pages and the FAQ entries whose names the query finds. A query with operators has none. */
export function destinationsOf(
  q: string,
  links: Links,
  given: { readonly apps: readonly App[]; readonly faqs: readonly FaqQuestion[] },
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
  const faqs = given.faqs.filter(({ question }) => hasAll(question));
  const apps = new Map(given.apps.map(({ id, name }) => [id, name]));
  return [
    ...pages.slice(0, most),
    ...faqs.slice(0, most).map(
      ({ appId, id, question }): Destination => ({
        ...{ kind: "FAQ", name: question, app: apps.get(appId) },
        href: links.faq(appId, id),
      }),
    ),
  ];
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
  ];
  const ofApp: readonly (readonly [string, (id: string) => string])[] = [
    ["Inbox", links.inbox],
    ["FAQ", links.faqs],
    ["Changelog", links.changelog],
    ["Testing", links.testing],
    ["Members", links.members],
    ["Settings and keys", links.app],
    ["Tags", links.tags],
    ["Saved replies", links.savedReplies],
  ];
  const page = (name: string, href: string, app?: string): Destination => ({ kind: "Page", name, app, href });
  return [
    ...ofAll.map(([name, href]) => page(name, href)),
    ...apps.flatMap((app) => ofApp.map(([name, of]) => page(name, of(app.id), app.name))),
  ];
}

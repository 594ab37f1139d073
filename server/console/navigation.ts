import { type Preferences, preferences } from "../../src/contract/account.ts";
import type { App } from "../../src/contract/apps.ts";
import { apps } from "../../src/contract/apps.ts";
import type { Role } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { live } from "../../src/contract/events.ts";
import { suffices } from "../access/members/rules.ts";
import type { SignedInVisit } from "./definitions.ts";
import type { Links } from "./links.ts";
import type { Notices } from "./notices.ts";
import type { AppCounts, TestBelow } from "./page-reads.ts";
import type { People } from "./parts.tsx";

/**
 * The tabs of the console. `decisions` and `all` (the inbox of all apps) cover all apps of a person. Each other tab
 * belongs to one app.
 */
export type Tab =
  | "decisions"
  | "all"
  | "inbox"
  | "faqs"
  | "changelog"
  | "testing"
  | "numbers"
  | "members"
  | "settings";

/** The data for the bar and the tabs at the top of a page. */
export interface Navigation {
  readonly links: Links;
  readonly email: string;
  readonly userId: string;
  /** The people whose names the page may show. */
  readonly people: People;
  /** The address of the page about the API. */
  readonly docs: string;
  /**
   * The address that sends events about changes to an open page. `since` is the time at which the page was created.
   */
  readonly events: { readonly at: string; readonly since: string };
  /** The console preferences of this person. */
  readonly preferences: Preferences;
  readonly apps: readonly App[];
  /** The numbers of unread threads and of waiting proposals. The keys are the ids of the apps. */
  readonly counts: ReadonlyMap<string, AppCounts>;
  /** The number of testers who request a slot. The keys are the ids of the apps. */
  readonly requests: ReadonlyMap<string, number>;
  /** The running tests with too few testers, in all apps. */
  readonly testsBelow: readonly TestBelow[];
  /** The word in the address for the result of the last form. */
  readonly done: string;
  readonly notices: Notices;
  readonly app?: App | undefined;
  readonly tab?: Tab | undefined;
}

/** Returns how many unread threads or waiting proposals there are in all apps together. */
export const sumOf = (counts: Navigation["counts"], of: keyof AppCounts): number =>
  [...counts.values()].reduce((sum, app) => sum + app[of], 0);

/** Returns how many testers request a slot in all apps together. */
export const requestsIn = ({ requests }: Pick<Navigation, "requests">): number =>
  [...requests.values()].reduce((sum, count) => sum + count, 0);

/** Returns how many proposals, slot requests and tests with too few testers wait for the person in all apps together. */
export const decisionsIn = (navigation: Pick<Navigation, "counts" | "requests" | "testsBelow">): number =>
  sumOf(navigation.counts, "waiting") + requestsIn(navigation) + navigation.testsBelow.length;

export async function navigationOf(visit: SignedInVisit): Promise<Navigation> {
  const { links, notices, caller, reads, settings } = visit;
  const [{ items }, preferred, counts, requests, testsBelow, people] = await Promise.all([
    visit.ask(apps.list),
    visit.ask(preferences.read),
    reads.counts(),
    reads.countSlotRequests(),
    reads.testsBelow(),
    reads.people(),
  ]);
  return {
    links,
    notices,
    email: caller.email,
    userId: caller.userId,
    people,
    docs: `${settings.baseUrl}/api/v1/docs`,
    events: {
      at: new URL(settings.baseUrl).pathname.replace(/\/$/, "") + live.follow.path,
      since: visit.now.toISOString(),
    },
    preferences: preferred,
    apps: items,
    counts,
    requests,
    testsBelow,
    done: visit.query("done"),
  };
}

const refusals: Readonly<Record<Role, string>> = {
  owner: "Only owners of this app can open this page.",
  maintainer: "Your role in this app is viewer. Ask an owner for the role maintainer.",
  viewer: "Only members of this app can open this page.",
};

export interface AppNavigation extends Navigation {
  readonly app: App;
}

/**
 * Returns the navigation for a page of the app in the path. Throws `not_found` if the person is not a member of the
 * app, and `forbidden` if the person's role is not sufficient for the page.
 */
export async function appNavigationOf(
  visit: SignedInVisit,
  tab: Tab,
  appId = visit.param("appId"),
): Promise<AppNavigation> {
  const { needs } = visit;
  const navigation = await navigationOf(visit);
  const app = navigation.apps.find(({ id }) => id === appId.toLowerCase());
  if (!app) throw new ApiError("not_found");
  if (needs !== "account" && !suffices(app.role, needs))
    throw new ApiError("forbidden", { message: refusals[needs] });
  return { ...navigation, app, tab };
}

import type { App } from "../../src/contract/apps.ts";
import { apps } from "../../src/contract/apps.ts";
import type { Role } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { suffices } from "../access/members/rules.ts";
import type { Links } from "./links.ts";
import type { Notices } from "./notices.ts";
import type { AppCounts } from "./page-reads.ts";
import type { SignedInVisit } from "./visit.ts";

/** The tabs of the console: the decisions that wait for a person, and the parts of an app. */
export type Tab = "decisions" | "inbox" | "faqs" | "changelog" | "testing" | "members" | "settings";

/** What every page shows a signed-in person around its content. */
export interface Navigation {
  readonly links: Links;
  readonly email: string;
  /** The address of the API's page. */
  readonly docs: string;
  readonly apps: readonly App[];
  /** What is unread and what waits for a decision, by app. */
  readonly counts: ReadonlyMap<string, AppCounts>;
  /** How many testers ask for a slot, by app. */
  readonly requests: ReadonlyMap<string, number>;
  /** The word in the address for what a form has just done. */
  readonly done: string;
  readonly notices: Notices;
  readonly app?: App | undefined;
  readonly tab?: Tab | undefined;
}

/** What waits in all apps together. */
export const sumOf = (counts: Navigation["counts"], of: keyof AppCounts): number =>
  [...counts.values()].reduce((sum, app) => sum + app[of], 0);

/** How many testers ask for a slot in all apps together. */
export const requestsIn = ({ requests }: Pick<Navigation, "requests">): number =>
  [...requests.values()].reduce((sum, count) => sum + count, 0);

export async function navigationOf(visit: SignedInVisit): Promise<Navigation> {
  const { links, notices, caller, reads, settings } = visit;
  const [{ items }, counts, requests] = await Promise.all([
    visit.ask(apps.list),
    reads.counts(),
    reads.countSlotRequests(),
  ]);
  return {
    links,
    notices,
    email: caller.email,
    docs: `${settings.baseUrl}/api/v1/docs`,
    apps: items,
    counts,
    requests,
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
 * The navigation of a page of the app that the path names. Throws `not_found` for an app of somebody else, and `forbidden`
 * for a page that needs another role than the person has.
 */
export async function appNavigationOf(visit: SignedInVisit, tab: Tab): Promise<AppNavigation> {
  const { needs } = visit;
  const navigation = await navigationOf(visit);
  const app = navigation.apps.find(({ id }) => id === visit.param("appId").toLowerCase());
  if (!app) throw new ApiError("not_found");
  if (needs !== "account" && !suffices(app.role, needs))
    throw new ApiError("forbidden", { message: refusals[needs] });
  return { ...navigation, app, tab };
}

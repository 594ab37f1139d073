import type { App } from "../../../../src/contract/console/apps.ts";
import { apps } from "../../../../src/contract/console/apps.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { awaitingProposals } from "../../../store/feedback/awaiting-proposals.ts";
import { slotRequests } from "../../../store/testing/slot-requests.ts";
import type { Links } from "../../links.ts";
import type { SignedInVisit } from "../../visit.ts";

/** The parts of the console that its navigation shows: what waits for a person, and those of an app. */
export type Tab = "decisions" | "inbox" | "faqs" | "changelog" | "testing" | "settings";

/** What every page of a signed-in person shows around itself. */
export interface Navigation {
  readonly links: Links;
  readonly email: string;
  /** The page of the API. */
  readonly docs: string;
  readonly apps: readonly App[];
  /** How many proposals wait for a decision. */
  readonly waiting: number;
  /** How many testers ask for a seat, by app. */
  readonly requests: ReadonlyMap<string, number>;
  /** What a form has just done, as it stands in the address. */
  readonly done: string;
  readonly app?: App | undefined;
  readonly tab?: Tab | undefined;
}

export async function navigationOf(visit: SignedInVisit): Promise<Navigation> {
  const { links, caller, deps, now } = visit;
  const [{ items }, waiting, requests] = await Promise.all([
    visit.ask(apps.list),
    awaitingProposals.count(deps.database, caller.userId),
    slotRequests.countByApp(deps.database, caller.userId, now.toISOString()),
  ]);
  return {
    links,
    email: caller.email,
    docs: `${deps.settings.baseUrl}/api/v1/docs`,
    apps: items,
    waiting,
    requests,
    done: visit.query("done"),
  };
}

export interface AppNavigation extends Navigation {
  readonly app: App;
}

/** The frame of a page of the app that the path names. Throws `not_found` where it is not the visitor's. */
export async function appNavigationOf(visit: SignedInVisit, tab: Tab): Promise<AppNavigation> {
  const frame = await navigationOf(visit);
  const app = frame.apps.find(({ id }) => id === visit.param("appId").toLowerCase());
  if (!app) throw new ApiError("not_found");
  return { ...frame, app, tab };
}

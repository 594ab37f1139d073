import type { Role } from "../../src/contract/endpoint.ts";
import type { PageAnswering } from "../feedback/messages/presence.ts";
import type { PageViews } from "../feedback/unread/page-views.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { Settings } from "../settings/settings.ts";
import type { Ask } from "./ask.ts";
import type { PageDrafts } from "./drafts/api.ts";
import type { Fields } from "./forms.tsx";
import type { Links } from "./links.ts";
import type { Notices } from "./notices.ts";
import type { PageReads } from "./page-reads.ts";
import type { Reply } from "./respond.ts";

/** One request to a page or a form of the console. */
export interface Visit {
  readonly settings: Settings;
  readonly links: Links;
  readonly notices: Notices;
  readonly now: Date;
  /** The value of a parameter of the path. */
  param(name: string): string;
  /** The value of a parameter of the query; empty if it is missing. */
  query(name: string): string;
  readonly fields: Fields;
  readonly ask: Ask;
}

/**
 * The least role in its app that a person needs to open a page; "account" for a page outside of an app. It hides pages that are of
 * no use to others. What a person may read and do is decided by the endpoints, not here.
 */
export type PageNeeds = Role | "account";

/** A request of a signed-in person. */
export interface SignedInVisit extends Visit {
  /** The `needs` of the page, or of the page of the form. */
  readonly needs: PageNeeds;
  readonly caller: ConsoleCaller;
  readonly reads: PageReads;
  readonly views: PageViews;
  /** Whether a script updates an open page, or a browser fetches a page in advance. Then no person reads the page now. */
  readonly isLive: boolean;
  readonly drafts: PageDrafts;
  readonly answering: PageAnswering;
}

/** A request of a signed-in person with a form that has files. */
export interface UploadVisit extends SignedInVisit {
  /** The body of the form. Its files are on the disk. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a request to one page or form. `Done` are the words that it puts into an address. */
export type PageHandler<V extends Visit, Done extends string = never> = (visit: V) => Promise<Reply<Done>>;

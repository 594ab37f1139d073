import type { Role } from "../../src/contract/endpoint.ts";
import type { PageAnswering } from "../feedback/messages/presence.ts";
import type { PageViews } from "../feedback/unread/page-views.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { Settings } from "../settings/settings.ts";
import type { Ask } from "./ask.ts";
import type { PageDrafts } from "./drafts/api.ts";
import type { Fields } from "./form-values.tsx";
import type { Links } from "./links.ts";
import type { Notices } from "./notices.ts";
import type { PageReads } from "./page-reads.ts";
import type { Reply } from "./reply.ts";

/** One request to a page or a form of the console. */
export interface Visit {
  readonly settings: Settings;
  readonly links: Links;
  readonly notices: Notices;
  readonly now: Date;
  /** The value of a parameter of the path. */
  param(name: string): string;
  /** The value of a parameter of the query; empty when it is missing. */
  query(name: string): string;
  readonly fields: Fields;
  readonly ask: Ask;
}

/**
 * The least role in the app of a page that its reader needs, if the page is of no use to others; "account" for a page
 * outside of an app. What a person may read and do is decided by the endpoints that the page asks, not here.
 */
export type PageNeeds = Role | "account";

/** The visit of a signed-in person. */
export interface SignedInVisit extends Visit {
  /** What the visited page asks for, or the page of the form that was sent. */
  readonly needs: PageNeeds;
  readonly caller: ConsoleCaller;
  readonly reads: PageReads;
  readonly views: PageViews;
  /** Whether a script asks what has changed on an open page, or a browser fetches the page in advance: nobody reads it now. */
  readonly isLive: boolean;
  readonly drafts: PageDrafts;
  readonly answering: PageAnswering;
}

/** The visit of a signed-in person whose form has files. */
export interface UploadVisit extends SignedInVisit {
  /** The body of the form, its files on the disk. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a visit to one page or form. `Done` are the words that it puts into an address. */
export type PageHandler<V extends Visit, Done extends string = never> = (visit: V) => Promise<Reply<Done>>;

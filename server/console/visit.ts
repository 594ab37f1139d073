import type { Role } from "../../src/contract/endpoint.ts";
import type { PageAnswering, PageViews } from "../feedback/threads/presence.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { Settings } from "../settings/settings.ts";
import type { Ask } from "./ask.ts";
import type { PageDrafts } from "./drafts/api.ts";
import type { Fields } from "./forms.tsx";
import type { Links } from "./links.ts";
import type { Notices } from "./notices.ts";
import type { InvitedRead, PageReads } from "./page-reads.ts";
import type { Reply } from "./respond.tsx";

/** A request to a page or a form of the console. */
export interface Visit {
  readonly settings: Settings;
  readonly links: Links;
  readonly notices: Notices;
  readonly now: Date;
  /** Returns the value of a parameter in the path. */
  param(name: string): string;
  /** Returns the value of a parameter in the query; empty if it is missing. */
  query(name: string): string;
  readonly fields: Fields;
  readonly ask: Ask;
  /** Returns for what and whom the secret of an invitation link invites; undefined if it cannot be used. */
  readonly invited: InvitedRead;
}

/**
 * The lowest role in the app with which a person can open a page; "account" for a page outside of an app. This only
 * hides pages that are useless for other people. The endpoints decide what a person may read and do.
 */
export type PageNeeds = Role | "account";

/** A request of a signed-in person. */
export interface SignedInVisit extends Visit {
  /** The `needs` of the page. For a form, these are the `needs` of the form's page. */
  readonly needs: PageNeeds;
  readonly caller: ConsoleCaller;
  readonly reads: PageReads;
  readonly views: PageViews;
  /**
   * Whether a script is updating an open page, or a browser is fetching a page in advance. Then no person is reading
   * the page now.
   */
  readonly isLive: boolean;
  readonly drafts: PageDrafts;
  readonly answering: PageAnswering;
}

/** A request of a signed-in person that sends a form with files. */
export interface UploadVisit extends SignedInVisit {
  /** The body of the form. The files in it are on the disk. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a request to a page or form. `Done` are the words with which it names results in an address. */
export type PageHandler<V extends Visit, Done extends string = never> = (visit: V) => Promise<Reply<Done>>;

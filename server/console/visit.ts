import type { PageAnswering } from "../feedback/messages/presence.ts";
import type { PageLooks } from "../feedback/unread/looks.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { Settings } from "../settings/settings.ts";
import type { Ask } from "./ask.ts";
import type { PageDrafts } from "./drafts/api.ts";
import type { Fields } from "./form-values.tsx";
import type { Links } from "./links.ts";
import type { PageReads } from "./page-reads.ts";
import type { Reply } from "./reply.ts";

/** One request to a page or a form of the console. */
export interface Visit {
  readonly settings: Settings;
  readonly links: Links;
  readonly now: Date;
  /** The value of a parameter of the path. */
  param(name: string): string;
  /** The value of a parameter of the query; empty when it is missing. */
  query(name: string): string;
  readonly fields: Fields;
  readonly ask: Ask;
}

/** The visit of a signed-in person. */
export interface SignedInVisit extends Visit {
  readonly caller: ConsoleCaller;
  readonly reads: PageReads;
  readonly looks: PageLooks;
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

/** Answers a visit to one page or form. */
export type PageHandler<V extends Visit> = (visit: V) => Promise<Reply>;

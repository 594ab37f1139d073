import type { Deps } from "../deps.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { Ask } from "./ask.ts";
import type { Fields } from "./kit/form/read-form.ts";
import type { Links } from "./links.ts";
import type { Reply } from "./reply.ts";

/** One request to a page or a form of the console. */
export interface Visit {
  readonly deps: Pick<Deps, "database" | "settings">;
  readonly links: Links;
  readonly now: Date;
  /** The value of a parameter of the path. */
  param(name: string): string;
  /** The value of a parameter of the query; empty where it is not there. */
  query(name: string): string;
  readonly fields: Fields;
  readonly ask: Ask;
}

/** The visit of somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly caller: ConsoleCaller;
}

export type Answer<V extends Visit> = (visit: V) => Promise<Reply>;

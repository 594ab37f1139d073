import type { Database } from "../../../../server/database/database.ts";

/** A request of the API or of a page of the console, or work without a request. */
export interface Measured {
  readonly name: string;
  /** `{name}` is replaced by a value of the server. */
  readonly path: string;
  readonly by: Caller;
  /** The default is GET. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Returns the body for the call with this number. Each call has another body. */
  readonly body?: (call: number) => object;
  /** The maximum number of calls, if the server does not allow a hundred. */
  readonly most?: number;
  /** Requests before and after each call, which are not measured: they make what the call needs, and undo what it did. */
  readonly before?: Unmeasured;
  readonly after?: Unmeasured;
  /** What a job of the server does, in place of a request. */
  readonly work?: (database: Database) => Promise<unknown>;
  /** Whether it is a search, for which there is a separate goal. */
  readonly isSearch?: boolean;
  /** Reads the second page of the list: the path gets the cursor of the first one. */
  readonly second?: boolean;
}

type Unmeasured = Pick<Measured, "by" | "path" | "method" | "body">;

/** A token of an agent, a session of the console, the key of an app, a tester's device, or a sender without a credential. */
export type Caller = "agent" | "person" | "app" | "device" | "nobody";

/** Values that the requests need. They come from earlier answers of the server. */
export interface ServerValues {
  readonly appKey: string;
  readonly deviceToken: string;
  readonly testKey: string;
  /** A thread that was reported just now, and the path of its sender's page. */
  readonly threadId: string;
  readonly senderPage: string;
  /** The sender of this thread and the next two. */
  readonly sender: string;
  /** Two other threads of the first app, which are merged. */
  readonly mergedId: string;
  readonly targetId: string;
}

/** An id in the form in which the SQL creates it. */
export function idOf(kind: string, n: number): string {
  return `${kind.padStart(8, "0")}-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

export const ids = { app: idOf("1", 1), smallApp: idOf("1", 2) };

export const agentList = (query: string) =>
  ({ by: "agent", path: `/api/v1/agent/feedback?${query}` }) as const;
export const inbox = (query: string, app = ids.app) =>
  ({ by: "person", path: `/api/v1/console/apps/${app}/feedback?${query}` }) as const;
export const page = (path: string) => ({ by: "person", path: `/console${path}` }) as const;
export const api = (path: string) => ({ by: "person", path: `/api/v1/console${path}` }) as const;

/** Filters by status, by type or by both. The filter that matches most threads comes first. */
export const filters: readonly string[] = [
  "status=open",
  "status=in_progress",
  "type=general",
  "type=bug",
  "status=in_progress&type=general",
  "status=open&type=bug",
];

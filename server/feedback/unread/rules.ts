import type { OwnedThread } from "../../../src/contract/threads.ts";

/** What is new on a thread for a person. */
export interface ThreadNews {
  /** The id of the first new message; undefined if there is none. */
  readonly first: string | undefined;
  readonly messages: number;
  /** Whether a person decided on a proposal. */
  readonly decided: boolean;
}

interface Reader {
  /** The instant after which things are new. */
  readonly since: string;
  readonly email: string;
  /** Who decided on each proposal, by its id. */
  readonly deciders: ReadonlyMap<string, string | null>;
}

/** What happened on a thread after `since` that this person did not do. (rule F53) */
export function threadNews(
  { messages, proposals }: Pick<OwnedThread, "messages" | "proposals">,
  { since, email, deciders }: Reader,
): ThreadNews {
  const fresh = messages.filter(({ createdAt, writtenBy }) => createdAt > since && writtenBy !== email);
  const decided = proposals.some(
    ({ id, decidedAt, decision }) =>
      decidedAt !== null && decidedAt > since && decision !== "replaced" && deciders.get(id) !== email,
  );
  return { first: fresh[0]?.id, messages: fresh.length, decided };
}

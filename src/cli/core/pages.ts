import { UnexpectedAnswerError } from "../../client/errors.ts";

/**
 * Reads one page of a list after the other, the first without a cursor. Throws an UnexpectedAnswerError if the server
 * names a cursor twice, because the list would not end.
 */
export async function* allPages<Page extends { readonly nextCursor?: string | null | undefined }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.nextCursor ?? undefined;
    if (cursor !== undefined && seen.has(cursor))
      throw new UnexpectedAnswerError(200, "The server named a page of the list twice.");
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

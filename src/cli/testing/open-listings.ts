import { limits } from "../../contract/limits.ts";
import type { OpenListing } from "../../contract/tester.ts";
import type { Invocation } from "../core/context.ts";

const mostPages = 20;

/** The newest tests with open slots, from a limited number of pages. A server of another make may give all at once, without `nextCursor`. */
export async function allOpenListings(invocation: Invocation): Promise<readonly OpenListing[]> {
  const client = invocation.client();
  const found: OpenListing[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: Page = await client.tester.listings({
      query: { limit: String(limits.listPage.max), cursor },
    });
    found.push(...page.listings);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }
  return found;
}

interface Page {
  readonly listings: readonly OpenListing[];
  readonly nextCursor?: string | null;
}

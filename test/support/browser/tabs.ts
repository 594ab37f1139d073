import type { Page } from "playwright-core";

/** Visits every path once, on several pages at the same time. Returns the results in the order of the paths. */
export async function visitEach<Result>(
  pages: readonly Page[],
  paths: readonly string[],
  visit: (page: Page, path: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = paths.entries();
  await Promise.all(
    pages.map(async (page) => {
      for (const [at, path] of waiting) results[at] = await visit(page, path);
    }),
  );
  return results;
}

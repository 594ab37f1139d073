import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** The rules of WCAG 2.0, 2.1 and 2.2, levels A and AA. */
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The minified form, because each page loads it again. */
const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Loads the checker into the open page. */
export const loadAxe = (page: Page): Promise<void> => page.evaluate(source);

/**
 * Returns the elements of a page that violate the rules of WCAG A and AA: one line for each, an empty text without
 * faults. The checker must be loaded.
 */
export async function axeFaults(page: Page): Promise<string[]> {
  return page.evaluate(async (tags) => {
    const run: typeof axe.run = Reflect.get(window, "axe").run;
    const { violations } = await run({ runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  }, tags);
}

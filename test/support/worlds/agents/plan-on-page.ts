import { expect } from "vitest";
import type { Service } from "../../service/service.ts";

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
const hiddenMark = /<span class="hidden-mark" title="[^"]*">U\+([0-9A-F]+)<\/span>/g;

/**
 * The plan as a person sees it on the page of a thread: the text on the screen. Marks are replaced by the characters
 * that they name.
 */
export async function planOnPage(
  service: Service,
  person: Readonly<Record<string, string>>,
  path: string,
): Promise<string> {
  const { status, text } = await service.request("GET", path, { headers: person });
  expect(status).toBe(200);
  const [, shown = expect.fail("The page shows no plan")] =
    /<div class="plan">\s*<div class="written exact">([\s\S]*?)<\/div>/.exec(text) ?? [];
  return shown
    .replace(hiddenMark, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity);
}

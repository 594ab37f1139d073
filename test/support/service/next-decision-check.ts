import { vi } from "vitest";
import type { Service } from "./service.ts";

const days24 = 2 ** 31 - 1;

/**
 * Resolves once the server has read a proposal for a waiting request, and holds the answer. That wait does not end by itself,
 * so an answer shows that something has ended it.
 */
export function nextDecisionCheck({ deps: { waiting } }: Pick<Service, "deps">): Promise<void> {
  const until = waiting.until.bind(waiting);
  return new Promise((resolve) => {
    vi.spyOn(waiting, "until").mockImplementationOnce((topics, look, options) => {
      const noted = async () => {
        const found = await look();
        resolve();
        return found;
      };
      return until(topics, noted, { ...options, milliseconds: days24 });
    });
  });
}

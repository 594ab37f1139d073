import { vi } from "vitest";
import type { Service } from "./service.ts";

const days24 = 2 ** 31 - 1;

/**
 * Resolves when the server has read a proposal for a waiting request, and delays the answer. The wait does not end by
 * itself, so an answer shows that an event has ended it.
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

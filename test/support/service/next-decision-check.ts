import { vi } from "vitest";
import type { Service } from "./service.ts";

/** Resolves once the server has looked at a run that somebody waits for, and holds the answer. */
export function nextDecisionCheck({ deps: { waiting } }: Pick<Service, "deps">): Promise<void> {
  const until = waiting.until.bind(waiting);
  return new Promise((resolve) => {
    vi.spyOn(waiting, "until").mockImplementationOnce((topics, look, options) => {
      const noted = async () => {
        const found = await look();
        resolve();
        return found;
      };
      return until(topics, noted, options);
    });
  });
}

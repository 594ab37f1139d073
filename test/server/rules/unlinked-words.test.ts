import { describe, expect, it } from "vitest";
import { titled, unmade } from "../../../src/words/visible.ts";

describe("words of the public in a title or a chat", () => {
  it.each(["mailto:a", "tel:1", "sms:1", "magnet:x", "ms-settings:x", "JavaScript:x", "https://x"])(
    "contain no address that a program shows as a link: %s",
    (address) => {
      for (const shown of [titled(`See ${address} now`), unmade(`See ${address} now`, 80)])
        expect(shown).not.toContain(address);
    },
  );

  it.each(["at 12:30", "std::vector", "Error: no"])(
    "do not change if they contain no address: %s",
    (text) => {
      expect(titled(text)).toBe(`“${text}”`);
    },
  );
});

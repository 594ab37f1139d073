import { describe, expect, it } from "vitest";
import { maskedAddress, typedThreads } from "../../../../server/content/changelog/rules.ts";

const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";
const app = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";

describe("threads that a person names in a field (rule C32)", () => {
  it("are numbers, ids and addresses, and each thread is named once", () => {
    const text = `#12, 13;12\n${id.toUpperCase()} https://inn.example/console/feedback/${app}/${id}?at=2 https://inn.example/console/t/${app}/14`;
    expect(typedThreads(text)).toEqual({ ids: [id], numbers: [12, 13, 14], unknown: [] });
  });

  it("are refused if they are other words", () => {
    expect(typedThreads("crash #0 -3 12a #1234567890 https://evil.example/12")).toEqual({
      ids: [],
      numbers: [],
      unknown: ["crash", "#0", "-3", "12a", "#1234567890", "https://evil.example/12"],
    });
  });

  it("are read in a short time from a hostile text", () => {
    expect(typedThreads("https://x/t/".repeat(20_000)).numbers).toEqual([]);
  });
});

describe("the shortened address of a receiver", () => {
  it.each([
    ["mara@kitchen.example", "ma…@kitchen.example"],
    ["bo@cellar.example", "b…@cellar.example"],
    ["é😀x@a.example", "é…@a.example"],
  ])("of %s is %s", (address, shown) => {
    expect(maskedAddress(address)).toBe(shown);
  });
});

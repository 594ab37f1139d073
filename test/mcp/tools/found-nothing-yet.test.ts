import { describe, expect, it } from "vitest";
import { foundThreads } from "../../../mcp/tools/list-feedback.ts";
import { createSanitiser } from "../../../src/words/fence.ts";

const noteOf = (nextCursor: string | null) =>
  foundThreads({ items: [], nextCursor }, createSanitiser("nonce"));

describe("the tool list_feedback without a result", () => {
  it("says that no thread matches if all were searched", () => {
    expect(noteOf(null)).toMatchObject({ threads: [], next_cursor: null, note: "No thread matches." });
  });

  it("says that the search continues if older threads were not searched", () => {
    const { note, ...found } = noteOf("ODAwMA");
    expect(found).toMatchObject({ threads: [], next_cursor: "ODAwMA" });
    expect(note).toMatch(/Older threads were not searched yet/);
  });
});

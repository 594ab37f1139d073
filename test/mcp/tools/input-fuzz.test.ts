import { describe, expect, it } from "vitest";
import { maxChars } from "../../../mcp/tools/read-feedback.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fc } from "../../support/property.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const era = "2026-07-28";
const around = (limit: number) => fc.integer({ min: Math.max(0, limit - 2), max: limit + 2 });
const letter = fc.constantFrom("a", "\u00e9", "\u4f60", "\u{1f600}");

const start = async () => {
  const api = await startFakeApi();
  const { client } = await openMcpSession(era, { baseUrl: api.baseUrl });
  return {
    api,
    call: async (name: string, args: object) => readToolResult(await client.callTool(name, { ...args })),
  };
};

describe("any input of a client", () => {
  it.each(["summary", "plan"] as const)(
    "is accepted up to the limit of %s, counted in characters",
    async (field) => {
      const { api, call } = await start();
      await fc.assert(
        fc.asyncProperty(around(limits[field]), letter, async (length, character) => {
          const texts = { summary: "S", plan: "P", [field]: character.repeat(length) };
          const { isError } = await call("propose_plan", { feedback: api.addThread(), ...texts });
          expect(isError).toBe(length > limits[field]);
        }),
        { numRuns: 25 },
      );
    },
  );

  it("is shortened to max_chars, which is refused outside its limits", async () => {
    const { api, call } = await start();
    const feedback = api.addThread({ message: "m".repeat(maxChars.most), metadata: {} });
    const sizes = fc.oneof(
      around(maxChars.least),
      around(maxChars.most),
      fc.integer({ min: -5, max: 70_000 }),
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (max_chars) => {
        const { isError, structured } = await call("read_feedback", { feedback, max_chars });
        expect(isError).toBe(max_chars < maxChars.least || max_chars > maxChars.most);
        if (!isError) expect(structured.untrusted).toMatchObject({ message: "m".repeat(max_chars) });
      }),
      { numRuns: 40 },
    );
  });

  it.each(["read_feedback", "propose_plan", "get_decision"])(
    "gets an answer from %s without a text from outside",
    async (name) => {
      const { api, call } = await start();
      const known = api.addThread();
      const value = fc.oneof(fc.jsonValue(), fc.constant(known), fc.string({ maxLength: 600 }), fc.integer());
      const names = [
        "feedback",
        "run_id",
        "summary",
        "plan",
        "max_chars",
        "messages_before",
        "expected_run_id",
        "feedback",
      ];
      const given = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 6 });
      await fc.assert(
        fc.asyncProperty(given, async (args) => {
          const { isError, text } = await call(name, args);
          expect(text).not.toContain("SYSTEM");
          if (isError) expect(text).toMatch(/^[A-Z`].*[.)]$/s);
        }),
        { numRuns: 60 },
      );
    },
  );
});

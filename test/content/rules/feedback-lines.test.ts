import { describe, expect, it } from "vitest";
import {
  feedbackIdsIn,
  idsInFeedbackLines,
  withFeedbackLine,
  withoutFeedbackLines,
} from "../../../src/contract/content-text.ts";
import { fc } from "../../support/property.ts";

const one = "01a1fda4-237d-759b-ad89-7cf5663516dc";
const two = "01a1fe67-ea45-7574-8a18-9e786f3f8d39";
const app = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";
const link = (id: string) => `https://inn.example.org/console/feedback/${app}/${id}`;

describe("a line that only names feedback (rule C17)", () => {
  it.each([
    [`Feedback: ${one}`, [one]],
    [`feedback:  ${one.toUpperCase()}  `, [one]],
    [`**Feedback:** ${one}, ${two}.`, [one, two]],
    [`- Feedback: ${one} and ${two}`, [one, two]],
    [`> Feedback: <${link(one)}> \`${two}\``, [one, two]],
    [`Feedback: [the list](${link(one)})`, [one]],
    [`Feedback: ${one} ${one}`, [one]],
  ])("is, for example, %s", (line, ids) => {
    expect(feedbackIdsIn(line)).toEqual(ids);
    expect(withoutFeedbackLines(`Maps\n\n${line}\n\nLists`)).toBe("Maps\n\nLists");
  });

  it.each([
    ["Feedback: tell us what you think", []],
    [`Feedback: the list of ${one} is full again`, []],
    [`Our feedback: ${one}`, []],
    [`Fixes [the list](${link(one)}) and ${link(two)}.`, [one, two]],
    [`Fixes ${one}`, []],
    ["Feedback: https://example.org/form", []],
    ["", []],
  ])("is not, for example, %s", (line, ids) => {
    expect(feedbackIdsIn(line)).toEqual(ids);
    expect(withoutFeedbackLines(line)).toBe(line);
  });

  it("is the only part that is removed from a text", () => {
    const parts = fc.constantFrom("Feedback: ", one, link(two), "\n", " ", "Maps", "- ", ", ", "[a](", ")");
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (words) => {
        const text = words.join("");
        const shown = withoutFeedbackLines(text);
        expect(withoutFeedbackLines(shown)).toBe(shown);
        expect((shown.match(/Maps/g) ?? []).length).toBeLessThanOrEqual((text.match(/Maps/g) ?? []).length);
        if (feedbackIdsIn(text).length === 0) expect(shown).toBe(text);
      }),
    );
  });
});

describe("the line with threads that the form writes", () => {
  it("is the last line, and replaces all earlier lines that only name threads", () => {
    const body = `Feedback: ${one}\n\nMaps.\n\nFixes [it](${link(two)}).`;
    const written = withFeedbackLine(body, [two, one]);
    expect(written).toBe(`Maps.\n\nFixes [it](${link(two)}).\n\nFeedback: ${two}, ${one}`);
    expect(idsInFeedbackLines(written)).toEqual([two, one]);
    expect(withFeedbackLine(written, [])).toBe(`Maps.\n\nFixes [it](${link(two)}).`);
    expect(withFeedbackLine("", [one])).toBe(`Feedback: ${one}`);
  });

  it("names exactly the given threads, in any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.constantFrom(one, two)), (text, ids) => {
        const named = [...new Set(ids)];
        expect(idsInFeedbackLines(withFeedbackLine(text, named))).toEqual(named);
      }),
    );
  });
});

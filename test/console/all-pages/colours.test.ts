import { describe, expect, it } from "vitest";
import { dark, edgePairs, light, textPairs } from "../../../server/console/browser/colours.ts";

describe.each([
  ["light", light],
  ["dark", dark],
])("the %s colours", (_, colours) => {
  it("make every text readable on its ground (WCAG AA: 4.5)", () => {
    const faults = textPairs.filter(([text, ground]) => contrast(colours[text], colours[ground]) < 4.5);
    expect(faults).toEqual([]);
  });

  it("make every edge visible next to its ground (WCAG AA: 3)", () => {
    const faults = edgePairs.filter(([edge, ground]) => contrast(colours[edge], colours[ground]) < 3);
    expect(faults).toEqual([]);
  });
});

/** The contrast ratio of two `#rrggbb` colours, as WCAG 2.2 defines it. */
function contrast(one: string, other: string): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(colour: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Every pair of text colour and background colour in the styles. */
const textPairs: readonly (readonly [string, string])[] = [
  ["text", "ground"],
  ["text", "surface"],
  ["text", "sunken"],
  ["muted", "ground"],
  ["muted", "surface"],
  ["muted", "sunken"],
  ["accent", "ground"],
  ["accent", "surface"],
  ["accent", "sunken"],
  ["accent-strong", "surface"],
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["on-accent-soft", "accent-soft"],
  ["attention", "attention-soft"],
  ["text", "attention-soft"],
  ["muted", "attention-soft"],
  ["accent", "attention-soft"],
  ["attention", "surface"],
  ["attention", "sunken"],
  ["danger", "sunken"],
  ["danger", "ground"],
  ["danger", "surface"],
  ["danger", "danger-soft"],
  ["text", "danger-soft"],
  ["on-danger", "danger"],
  ["on-danger", "danger-strong"],
];

/** Borders and focus rings of controls, with the background colours beside them. */
const edgePairs: readonly (readonly [string, string])[] = [
  ["border", "ground"],
  ["border", "surface"],
  ["border", "sunken"],
  ["accent", "ground"],
  ["accent", "surface"],
  ["accent", "sunken"],
  ["danger", "surface"],
];

const [light, dark] = readFileSync("server/console/browser/style/colours.css", "utf8")
  .split("@media")
  .map(
    (scheme) =>
      new Map([...scheme.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value])),
  );

it("the colours have the same names in the light and the dark scheme", () => {
  expect([...(dark?.keys() ?? [])]).toEqual([...(light?.keys() ?? [])]);
});

describe.each([
  ["light", light],
  ["dark", dark],
])("the %s colour scheme", (_, colours) => {
  const contrastOf = ([one, other]: readonly [string, string]) =>
    contrast(colours?.get(one) ?? "", colours?.get(other) ?? "");

  it("has enough contrast between every text and its background (WCAG AA: 4.5)", () => {
    const faults = textPairs.filter((pair) => !(contrastOf(pair) >= 4.5));
    expect(faults).toEqual([]);
  });

  it("has enough contrast between every border and its background (WCAG AA: 3)", () => {
    const faults = edgePairs.filter((pair) => !(contrastOf(pair) >= 3));
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

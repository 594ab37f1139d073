const browsers: readonly (readonly [RegExp, string])[] = [
  // The first that matches: most browsers also name those that they imitate.
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bVersion\/[\d.]+.* Safari\//, "Safari"],
  [/^curl\//, "curl"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Characters of the header that are read: the patterns take longer for longer texts, and no browser writes more. */
const mostRead = 500;

/**
 * A browser and its system in words, such as `Firefox on Linux`, of the header `User-Agent`. Only names of these lists are
 * kept: the header is longer than a person can read, and anybody can write it. (rule S22)
 */
export function browserName(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null;
  const beginning = userAgent.slice(0, mostRead);
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(beginning))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return system === undefined ? null : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

import type { ConsoleScene } from "./scenes.ts";

/** Each page of the console is drawn with each of these. */
export const looks = [
  { device: "desktop", theme: "light", viewport: { width: 1280, height: 860 } },
  { device: "desktop", theme: "dark", viewport: { width: 1280, height: 860 } },
  { device: "phone", theme: "light", viewport: { width: 390, height: 844 } },
  { device: "phone", theme: "dark", viewport: { width: 390, height: 844 } },
] as const;

export type Look = (typeof looks)[number];

/** The name of a picture. */
export const pictureOf = (
  { name }: ConsoleScene,
  { device, theme }: Pick<Look, "device" | "theme">,
): string => `${name}-${device}-${theme}.webp`;

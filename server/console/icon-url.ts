import type { Settings } from "../settings/settings.ts";
import { assets } from "./assets.ts";
import { createLinks } from "./links.ts";

/** The absolute address of the icon for an app without its own. */
export const iconUrlOf = ({ consoleUrl }: Pick<Settings, "consoleUrl">): string =>
  createLinks(consoleUrl).asset(assets.icon.name);

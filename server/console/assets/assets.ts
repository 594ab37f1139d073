import { createHash } from "node:crypto";
import { icon } from "./icon.ts";
import { docs } from "./script/docs.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

export interface Asset {
  /** Changes with the content, so that browsers may keep it for ever. */
  readonly name: string;
  readonly type: string;
  readonly body: string;
}

export const assets = {
  style: asset("console", "css", "text/css; charset=utf-8", style),
  script: asset("console", "js", "text/javascript; charset=utf-8", script),
  docs: asset("docs", "js", "text/javascript; charset=utf-8", docs),
  icon: asset("icon", "svg", "image/svg+xml", icon),
};

function asset(stem: string, ending: string, type: string, body: string): Asset {
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { name: `${stem}.${hash}.${ending}`, type, body };
}

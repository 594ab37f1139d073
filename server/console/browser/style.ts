import { base } from "./style/base.ts";
import { controls } from "./style/controls.ts";
import { cycleReport } from "./style/cycle-report.ts";
import { docs } from "./style/docs.ts";
import { elements } from "./style/elements.ts";
import { layout } from "./style/layout.ts";
import { deviceSignIn, secondFactor } from "./style/sign-in.ts";
import { testing } from "./style/testing.ts";
import { thread } from "./style/thread.ts";

export const style = [
  base,
  layout,
  controls,
  elements,
  thread,
  testing,
  cycleReport,
  deviceSignIn,
  secondFactor,
  docs,
].join("");

import { ground } from "./style/base.ts";
import { controls } from "./style/controls.ts";
import { paper } from "./style/cycle-report.ts";
import { tavern } from "./style/device-sign-in.ts";
import { docs } from "./style/docs.ts";
import { content } from "./style/elements.ts";
import { frame } from "./style/layout.ts";
import { testing } from "./style/testing.ts";
import { thread } from "./style/thread.ts";

export const style = [ground, frame, controls, content, thread, testing, paper, tavern, docs].join("");

import { content } from "./style/content.ts";
import { controls } from "./style/controls.ts";
import { docs } from "./style/docs.ts";
import { frame } from "./style/frame.ts";
import { ground } from "./style/ground.ts";
import { paper } from "./style/paper.ts";
import { tavern } from "./style/tavern.ts";
import { testing } from "./style/testing.ts";
import { thread } from "./style/thread.ts";

export const style = [ground, frame, controls, content, thread, testing, paper, tavern, docs].join("");

import { type ListedTool, tools } from "../tool-list.ts";

/** The definition of `get_decision` of this server: its description names the longest wait. */
export function withLongestWait(seconds: number): ListedTool {
  const text = JSON.stringify(tools.getDecision).replace("up to 50; more", `up to ${seconds}; more`);
  return JSON.parse(text);
}

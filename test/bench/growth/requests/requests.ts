import { agentReads } from "./agent-reads.ts";
import { appReads } from "./app-reads.ts";
import { consoleReads } from "./console-reads.ts";
import type { Measured } from "./measured.ts";
import { pageReads } from "./page-reads.ts";
import { searchReads } from "./searches.ts";
import { writes } from "./writes.ts";

/** Every endpoint that reads, every page of the console, and the changes whose work could grow with the data. */
export const requests: readonly Measured[] = [
  ...agentReads,
  ...appReads,
  ...consoleReads,
  ...pageReads,
  ...searchReads,
  ...writes,
];

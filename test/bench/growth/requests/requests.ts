import { agentReads } from "./agent-reads.ts";
import { appReads } from "./app-reads.ts";
import { consoleReads } from "./console-reads.ts";
import { deskReads } from "./desk-reads.ts";
import { jobs } from "./jobs.ts";
import type { Measured } from "./measured.ts";
import { pageReads } from "./page-reads.ts";
import { searchReads } from "./searches.ts";
import { writes } from "./writes.ts";

/** Every endpoint that reads, every page of the console, what jobs read, and the changes whose work could grow with the data. */
export const requests: readonly Measured[] = [
  ...agentReads,
  ...appReads,
  ...consoleReads,
  ...pageReads,
  ...deskReads,
  ...searchReads,
  ...jobs,
  ...writes,
];

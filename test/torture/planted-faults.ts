import { cliFaults } from "./faults/cli.ts";
import { consoleFaults } from "./faults/console.ts";
import { domainFaults } from "./faults/domain.ts";
import type { Area, Fault } from "./faults/fault.ts";
import { httpFaults } from "./faults/http.ts";
import { mcpFaults } from "./faults/mcp.ts";
import { storeFaults } from "./faults/store.ts";

/** Mistakes in all areas. Each was chosen from the code, without a look at the tests. */
export const plantedFaults: Readonly<Record<Area, readonly Fault[]>> = {
  domain: domainFaults,
  store: storeFaults,
  http: httpFaults,
  cli: cliFaults,
  mcp: mcpFaults,
  console: consoleFaults,
};

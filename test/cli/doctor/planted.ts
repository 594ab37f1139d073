import type { CommandLine, CommandLineOptions } from "../../support/clients/command-line.ts";

/** Secrets that the doctor reads and must never show. */
export const secrets = {
  key: `sdk_${"k".repeat(36)}`,
  refused: `sdm_${"r".repeat(36)}`,
  token: `sdm_${"m".repeat(36)}`,
  agent: `sda_${"a".repeat(36)}`,
  mail: "hunter2-of-the-mail-server",
  proxy: "hunter2-of-the-proxy",
  store: "hunter2-of-the-store",
};

export interface Place {
  readonly line: CommandLine;
  readonly config: string;
  /** A server without faults. */
  readonly baseUrl: string;
}

export type Planting = (place: Place) => Promise<CommandLineOptions> | CommandLineOptions;

/** The expected output of the doctor: the check, words of the result, and words of the next step. */
export interface Planted {
  readonly fault: string;
  readonly plant: Planting;
  readonly check: string;
  readonly state: "warning" | "failure";
  readonly what: RegExp;
  readonly next: RegExp;
}

export const env = (variables: Readonly<Record<string, string>>): CommandLineOptions => ({ env: variables });

import type { Invocation } from "../context.ts";
import type { Kind } from "../spool/kept-item.ts";
import { type Spool, spoolOf } from "../spool/spool.ts";
import { placesOf, type Report } from "./report.ts";
import { storedReport, storedText } from "./stored-report.ts";

const reports: Kind<Report> = {
  word: "report",
  noun: "feedback",
  folder: "spool",
  filesOf: ({ files }) => placesOf(files).map(({ field, at, file }) => ({ place: `${field}.${at}`, file })),
  textOf: storedText,
  itemIn: storedReport,
};

/** The reports that wait until a server has them. */
export const openSpool = (invocation: Invocation): Spool<Report> => spoolOf(invocation, reports);

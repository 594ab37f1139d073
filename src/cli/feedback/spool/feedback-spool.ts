import type { Invocation } from "../../core/program/context.ts";
import { type Spool, spoolOf } from "../../delivery/spool.ts";
import type { Kind } from "../../delivery/spooled-item.ts";
import { placesOf, type Report } from "../sending/outgoing-feedback.ts";
import { storedReport, storedText } from "./stored-feedback.ts";

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

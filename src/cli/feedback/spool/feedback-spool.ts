import type { Invocation } from "../../core/program/context.ts";
import { type Spool, spoolOf } from "../../delivery/spool.ts";
import type { Kind } from "../../delivery/spooled-item.ts";
import { type OutgoingFeedback, placesOf } from "../sending/outgoing-feedback.ts";
import { storedFeedback, storedFeedbackText } from "./stored-feedback.ts";

const reports: Kind<OutgoingFeedback> = {
  word: "report",
  noun: "feedback",
  folder: "spool",
  filesOf: ({ files }) => placesOf(files).map(({ field, at, file }) => ({ place: `${field}.${at}`, file })),
  textOf: storedFeedbackText,
  itemIn: storedFeedback,
};

/** The reports that wait until a server has them. */
export const openFeedbackSpool = (invocation: Invocation): Spool<OutgoingFeedback> =>
  spoolOf(invocation, reports);

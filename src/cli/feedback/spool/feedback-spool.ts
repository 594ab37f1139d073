import { placesOf } from "../../../client/calls/feedback-body.ts";
import type { Invocation } from "../../core/program/context.ts";
import { type Spool, spoolOf } from "../../delivery/spool.ts";
import type { Kind } from "../../delivery/spooled-item.ts";
import { type OutgoingFeedback, storedFeedback, storedFeedbackText } from "./stored-feedback.ts";

/** The reports that wait until a server has them. */
export const openFeedbackSpool = (invocation: Invocation): Spool<OutgoingFeedback> =>
  spoolOf(invocation, reports);

const reports: Kind<OutgoingFeedback> = {
  word: "report",
  noun: "feedback",
  folder: "spool",
  filesOf: ({ files }) => placesOf(files).map(({ field, at, file }) => ({ place: `${field}.${at}`, file })),
  textOf: storedFeedbackText,
  itemIn: storedFeedback,
};

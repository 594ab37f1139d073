import { placesOf } from "../../client/body.ts";
import type { Invocation } from "../core/context.ts";
import { type Spool, spoolOf } from "./spool.ts";
import type { Kind } from "./spooled-item.ts";
import { type OutgoingFeedback, storedFeedback, storedFeedbackText } from "./stored-feedback.lazy.ts";

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

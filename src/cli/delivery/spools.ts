import { placesOf } from "../../client/body.ts";
import type { Invocation } from "../core/context.ts";
import type { Proof } from "./proof.ts";
import { type Kind, type Spool, spoolOf } from "./spool.ts";
import { type OutgoingFeedback, storedFeedback, storedFeedbackText } from "./stored-feedback.lazy.ts";
import { placeOf, storedProof, storedProofText } from "./stored-proof.lazy.ts";

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

const proofs: Kind<Proof> = {
  word: "proof",
  noun: "proof",
  folder: "proofs",
  filesOf: ({ images }) => images.map((file, at) => ({ place: placeOf(at), file })),
  textOf: storedProofText,
  itemIn: storedProof,
};

/** The proofs that wait until a server has them. */
export const openProofSpool = (invocation: Invocation): Spool<Proof> => spoolOf(invocation, proofs);

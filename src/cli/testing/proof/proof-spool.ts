import type { Invocation } from "../../core/program/context.ts";
import { type Spool, spoolOf } from "../../delivery/spool.ts";
import type { Kind } from "../../delivery/spooled-item.ts";
import type { Proof } from "./proof.ts";
import { placeOf, storedProof, storedProofText } from "./stored-proof.ts";

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

import type { Invocation } from "../context.ts";
import type { Kind } from "../spool/kept-item.ts";
import { type Spool, spoolOf } from "../spool/spool.ts";
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
export const openProofs = (invocation: Invocation): Spool<Proof> => spoolOf(invocation, proofs);

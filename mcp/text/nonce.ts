import { randomBytes } from "node:crypto";

/** A word that nobody can foresee, for the fence around text of strangers. */
export const newNonce = (): string => randomBytes(6).toString("hex");

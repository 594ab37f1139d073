import { randomBytes } from "node:crypto";

/** An unpredictable word for the fence around text of strangers. */
export const newNonce = (): string => randomBytes(6).toString("hex");

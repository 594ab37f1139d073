import { totalmem } from "node:os";

/** The bytes of memory that this process may use: of its container, if that is less than the machine has. */
export function memoryOfMachine(): number {
  const total = totalmem();
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, total) : total;
}

import { drillRecord } from "../backup/drill-record.ts";
import { drillWarning } from "../backup/rules.ts";
import { systemClock } from "../clock.ts";
import type { Reader } from "../database/database.ts";

/** When the nightly backup was last proven, and what an operator must know. */
export async function readDrill(reader: Reader) {
  const drill = await drillRecord.find(reader);
  return {
    provenAt: drill?.lastGood?.at ?? null,
    warning: (drill && drillWarning(drill, systemClock.now())) ?? null,
  };
}

import { systemClock } from "../../clock.ts";
import { drillWarning } from "../../domain/backups/drills.ts";
import { drillRecord } from "../../store/deployment/drill-record.ts";
import type { Reader } from "../../store/engine/database.ts";

/** When the nightly backup was last proven, and what an operator must know. */
export async function readDrill(reader: Reader) {
  const drill = await drillRecord.find(reader);
  return {
    provenAt: drill?.lastGood?.at ?? null,
    warning: (drill && drillWarning(drill, systemClock.now())) ?? null,
  };
}

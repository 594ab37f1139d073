import { Gauge, type Registry } from "prom-client";
import type { Drill } from "../backup/rules.ts";

const prefix = "innkeep_backup_drill";

/** Adds the figures of the nightly backups, as they are when somebody asks. */
export function countDrills(registry: Registry, last: () => Drill | undefined): void {
  const gauge = (name: string, help: string, value: (drill: Drill | undefined) => number) =>
    new Gauge({
      ...{ name: `${prefix}_${name}`, help, registers: [registry] },
      collect() {
        this.set(value(last()));
      },
    });
  gauge("success_timestamp_seconds", "When the newest proven backup began; 0 if there is none", (drill) =>
    Math.floor(Date.parse(drill?.lastGood?.at ?? "1970-01-01T00:00:00Z") / 1_000),
  );
  gauge(
    "duration_seconds",
    "How long the newest proven backup took",
    (drill) => drill?.lastGood?.seconds ?? 0,
  );
  gauge("size_bytes", "The size of the newest proven backup", (drill) => drill?.lastGood?.bytes ?? 0);
  gauge(
    "missing_files",
    "Files that were missing or damaged in it",
    (drill) => drill?.lastGood?.missing ?? 0,
  );
  gauge("failed", "1 if the last nightly backup failed", (drill) => (drill?.outcome === "failed" ? 1 : 0));
}

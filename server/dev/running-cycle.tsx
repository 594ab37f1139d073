import type { Links } from "../console/links.ts";
import { scrolledByKeys } from "../console/scrolled-by-keys.ts";
import { Line } from "../console/text.tsx";
import type { CycleRow } from "../testing/cycles/store.ts";
import type { OwnedSlotRow } from "../testing/slots/store.ts";

interface RunningCycleProps {
  readonly links: Links;
  readonly cycle: CycleRow;
  readonly slots: readonly OwnedSlotRow[];
}

/** The slots of a running test, and how they stand. */
export const RunningCycle = ({ links, cycle, slots }: RunningCycleProps) => (
  <section class="stack tight" aria-labelledby={`cycle-${cycle.id}`}>
    <div class="row spread">
      <h2 id={`cycle-${cycle.id}`}>
        Test of <Line text={cycle.appName} />
      </h2>
      <a href={links.cycle(cycle.appId, cycle.id)}>Open in the console</a>
    </div>
    <p class="muted small">{`${cycle.closedDays} of ${cycle.durationDays} days are closed.`}</p>
    <section class="scroll" aria-label={`Slots of ${cycle.appName}`} {...scrolledByKeys}>
      <table>
        <thead>
          <tr>
            <th scope="col">Slot</th>
            <th scope="col">Tester</th>
            <th scope="col">State</th>
            <th scope="col">Counted days</th>
            <th scope="col">Missed days</th>
          </tr>
        </thead>
        <tbody>
          {slots.map(({ id, seat, testerEmail, status, counted, missedDays }) => (
            <tr key={id}>
              <td class="fit">{seat}</td>
              <td>{testerEmail === null ? "nobody" : <Line text={testerEmail} />}</td>
              <td>{status.replaceAll("_", " ")}</td>
              <td>{counted.split(",").filter(Boolean).join(", ") || "none"}</td>
              <td>{missedDays}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </section>
);

import type { ComponentChildren } from "preact";
import { Confirmation } from "../console/confirmation.tsx";
import { type Filled, TextField } from "../console/forms.tsx";
import { TimestampUtc } from "../console/timestamp.tsx";
import type { Fault } from "./faults.ts";
import type { SnapshotFacts } from "./snapshot-files.ts";

interface CardProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

const Card = ({ id, title, children }: CardProps) => (
  <section class="card stack" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

interface ClockProps {
  readonly now: Date;
  readonly offsetMs: number;
  readonly form: Filled;
}

const quickMoves = [
  ["-1d", "1 day back"],
  ["+1h", "1 hour on"],
  ["+1d", "1 day on"],
  ["+1w", "1 week on"],
] as const;

export const ClockCard = ({ now, offsetMs, form }: ClockProps) => (
  <Card id="clock" title="Clock">
    <p id="time" data-part="whole" data-version={now.toISOString().slice(0, 16)}>
      <b>
        <TimestampUtc at={now.toISOString()} />
      </b>{" "}
      <span class="muted">{offsetText(offsetMs)}</span>
    </p>
    <form method="post" action="/dev/forms/clock" class="row">
      {quickMoves.map(([move, words]) => (
        <button key={move} type="submit" name="move" value={move}>
          {words}
        </button>
      ))}
    </form>
    <form method="post" action="/dev/forms/clock" class="stack tight">
      <TextField
        form={form}
        name="move"
        label="Move by, or set to"
        placeholder="+2h30m, P1M or 2027-03-01T09:00:00Z"
        autocomplete="off"
        required
      />
      <div class="actions">
        <button type="submit">Move the clock</button>
      </div>
    </form>
  </Card>
);

function offsetText(milliseconds: number): string {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  if (minutes === 0) return "as on this machine";
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean);
  return `${parts.join(" ")} ${milliseconds > 0 ? "ahead of" : "behind"} this machine`;
}

interface FaultsProps {
  readonly faults: readonly Fault[];
  readonly form: Filled;
}

export const FaultsCard = ({ faults, form }: FaultsProps) => (
  <Card id="faults-title" title="Faults">
    <div id="faults" data-part="whole" data-version={JSON.stringify(faults)}>
      {faults.length === 0 ? (
        <p class="muted">No request fails on purpose.</p>
      ) : (
        <form method="post" action="/dev/forms/clear-faults" class="stack tight">
          <ul>
            {faults.map((fault) => (
              <li key={JSON.stringify(fault)}>
                <code>{fault.path}</code> {faultText(fault)}
              </li>
            ))}
          </ul>
          <div class="actions">
            <button type="submit">Remove all faults</button>
          </div>
        </form>
      )}
    </div>
    <form method="post" action="/dev/forms/fault" class="stack tight">
      <div class="columns">
        <TextField
          form={form}
          name="path"
          label="Path"
          placeholder="/api/v1/feedback"
          autocomplete="off"
          required
        />
        <TextField form={form} name="status" label="Status" placeholder="503" inputMode="numeric" />
        <TextField
          form={form}
          name="times"
          label="For how many requests"
          placeholder="1"
          inputMode="numeric"
        />
        <TextField form={form} name="delayMs" label="Wait first, in ms" placeholder="0" inputMode="numeric" />
      </div>
      <div class="actions">
        <button type="submit">Add the fault</button>
      </div>
    </form>
  </Card>
);

function faultText({ error, times, delayMs }: Fault): string {
  const wait = delayMs > 0 ? [`waits ${delayMs} ms`] : [];
  const end = error ? [`gets ${error.status} ${error.code}`] : [];
  return `${[...wait, ...end].join(", then ")}; ${times} more ${times === 1 ? "time" : "times"}`;
}

interface StateProps {
  readonly snapshots: readonly SnapshotFacts[];
  readonly form: Filled;
}

export const StateCard = ({ snapshots, form }: StateProps) => (
  <Card id="state" title="State">
    {snapshots.length > 0 && (
      <ul class="stack tight">
        {snapshots.map(({ name, now, rows, files }) => (
          <li key={name}>
            <form method="post" action="/dev/forms/load" class="row">
              <input type="hidden" name="name" value={name} />
              <b>{name}</b>
              <span class="muted">
                {`${rows} rows, ${files} ${files === 1 ? "file" : "files"}, at `}
                <TimestampUtc at={now} />
              </span>
              <button type="submit" aria-label={`Load ${name}`}>
                Load
              </button>
            </form>
          </li>
        ))}
      </ul>
    )}
    <form method="post" action="/dev/forms/snapshot" class="stack tight">
      <TextField
        form={form}
        name="name"
        label="Name of a new snapshot"
        placeholder="day-9"
        autocomplete="off"
        required
      />
      <div class="actions">
        <button type="submit">Save a snapshot</button>
      </div>
    </form>
    <Confirmation offer="Reset the server" action="/dev/forms/reset" button="Reset the server" danger>
      Real time, no faults, and the content of the start. Feedback, FAQ, release notes, tests and files that
      came later are deleted. Accounts, keys and tokens stay.
    </Confirmation>
  </Card>
);

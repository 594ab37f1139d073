import type { ComponentChildren, VNode } from "preact";
import { redactText } from "../../src/client/redact.ts";
import type { ApiError } from "../../src/contract/errors.ts";
import { countOf } from "../../src/words/phrases.ts";
import { visibleLine } from "../../src/words/visible.ts";
import { assets } from "../console/assets.ts";
import {
  Confirmation,
  type Fields,
  type Filled,
  filledAgain,
  filledWith,
  TextField,
  versionOf,
} from "../console/forms.tsx";
import { Brand, Document } from "../console/layout.tsx";
import type { Links } from "../console/links.ts";
import { Line, Notice, scrolledByKeys } from "../console/parts.tsx";
import { TimestampUtc } from "../console/times.tsx";
import type { CycleRow, OwnedSlotRow } from "../testing/cycles/store.ts";
import type { Fault } from "./actions.ts";
import type { RecordedRequest } from "./recorder.ts";
import type { SnapshotFacts } from "./snapshots.ts";

/** A form of the page that was refused. */
export interface SentForm {
  readonly name: "clock" | "fault" | "clear-faults" | "snapshot" | "load" | "forget" | "reset";
  readonly fields: Fields;
  readonly refusal: ApiError;
}

export interface DevPageData {
  readonly links: Links;
  readonly baseUrl: string;
  readonly now: Date;
  readonly offsetMs: number;
  readonly faults: readonly Fault[];
  readonly snapshots: readonly SnapshotFacts[];
  readonly messages: readonly ShownMessage[];
  readonly requests: readonly RecordedRequest[];
  readonly cycles: readonly { readonly cycle: CycleRow; readonly slots: readonly OwnedSlotRow[] }[];
}

const doneWords = new Map([
  ["moved", "The clock was moved. All due changes were applied."],
  ["fault-added", "The fault was added."],
  ["faults-cleared", "All faults were removed."],
  ["saved", "The snapshot was saved."],
  ["loaded", "The snapshot was loaded."],
  ["forgotten", "The requests were removed from this page."],
  ["reset", "The server was reset."],
]);

/**
 * Returns the page of the development server. It works without scripts. With scripts it shows new requests immediately.
 */
export const devPage = ({
  links,
  baseUrl,
  done,
  sent,
  ...data
}: DevPageData & {
  /** The code of the message about the last sent form. */
  readonly done: string;
  readonly sent?: SentForm | undefined;
}): VNode => (
  <Document links={links} title="Development server" scripts={[assets.dev]}>
    <header class="top">
      <div class="bar">
        <Brand links={links} />
        <div class="end">
          <a href={links.home}>Console</a> <a href="/api/v1/docs">API</a>
        </div>
      </div>
    </header>
    <main class="middle narrow stack wide" id="main" tabIndex={-1}>
      <div class="head">
        <div>
          <h1>Development server</h1>
          <p>
            <code>{baseUrl}</code> answers only requests from this machine, and sends no messages.
          </p>
        </div>
      </div>
      {doneWords.has(done) && <Notice done={done}>{doneWords.get(done)}</Notice>}
      {sent && <Refusal refusal={sent.refusal} />}
      <ClockCard now={data.now} offsetMs={data.offsetMs} form={formOf(sent, "clock")} />
      <FaultsCard faults={data.faults} form={formOf(sent, "fault")} />
      <StateCard snapshots={data.snapshots} form={formOf(sent, "snapshot")} />
      <Requests requests={data.requests} />
      <Part id="cycles" of={data.cycles}>
        {data.cycles.map(({ cycle, slots }) => (
          <RunningCycle key={cycle.id} links={links} cycle={cycle} slots={slots} />
        ))}
      </Part>
      <Part id="messages" of={data.messages}>
        <Messages messages={data.messages} />
      </Part>
    </main>
  </Document>
);

const Refusal = ({ refusal }: Pick<SentForm, "refusal">) => (
  <Notice kind="alert">
    <b>Nothing was changed.</b>{" "}
    {refusal.details.issues ? "Please correct the marked fields below." : refusal.message}
  </Notice>
);

const formOf = (sent: SentForm | undefined, name: SentForm["name"]) =>
  sent?.name === name ? filledAgain(sent.fields, sent.refusal) : filledWith();

const Part = ({
  id,
  of,
  children,
}: {
  readonly id: string;
  /** The data that the part shows. The script replaces the part of the page when the data has changed. */
  readonly of: unknown;
  readonly children: ComponentChildren;
}) => (
  <div id={id} class="stack wide" data-part="whole" data-version={versionOf(of)}>
    {children}
  </div>
);

const Card = ({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section class="card stack" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

const quickMoves = [
  ["-1d", "1 day back"],
  ["+1h", "1 hour forward"],
  ["+1d", "1 day forward"],
  ["+1w", "1 week forward"],
] as const;

const ClockCard = ({
  now,
  offsetMs,
  form,
}: {
  readonly now: Date;
  readonly offsetMs: number;
  readonly form: Filled;
}) => (
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

const FaultsCard = ({ faults, form }: { readonly faults: readonly Fault[]; readonly form: Filled }) => (
  <Card id="faults-title" title="Faults">
    <div id="faults" data-part="whole" data-version={JSON.stringify(faults)}>
      {faults.length === 0 ? (
        <p class="muted">No faults are active.</p>
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
        <TextField form={form} name="delayMs" label="Delay in ms" placeholder="0" inputMode="numeric" />
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
  return `${[...wait, ...end].join(", then ")}; ${countOf(times, "more time")}`;
}

const StateCard = ({
  snapshots,
  form,
}: {
  readonly snapshots: readonly SnapshotFacts[];
  readonly form: Filled;
}) => (
  <Card id="state" title="State">
    {snapshots.length > 0 && (
      <ul class="stack tight">
        {snapshots.map(({ name, now, rows, files }) => (
          <li key={name}>
            <form method="post" action="/dev/forms/load" class="row">
              <input type="hidden" name="name" value={name} />
              <b>{name}</b>
              <span class="muted">
                {`${countOf(rows, "row")}, ${countOf(files, "file")}, at `}
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
      This sets the real time, removes all faults and restores the content that the server had at its start.
      Feedback, FAQ, release notes, tests and files that were added later are deleted. Accounts, keys and
      tokens are not deleted.
    </Confirmation>
  </Card>
);

const RunningCycle = ({
  links,
  cycle,
  slots,
}: {
  readonly links: Links;
  readonly cycle: CycleRow;
  readonly slots: readonly OwnedSlotRow[];
}) => (
  <section class="stack tight" aria-labelledby={`cycle-${cycle.id}`}>
    <div class="row spread">
      <h2 id={`cycle-${cycle.id}`}>
        Test of <Line text={cycle.appName} />
      </h2>
      <a href={links.cycle(cycle.appId, cycle.id)}>Open in the console</a>
    </div>
    <p class="muted small">{`${cycle.closedDays} of ${countOf(cycle.durationDays, "day")} finished.`}</p>
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

/** A message that the development server has stored and not sent. */
interface ShownMessage {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly payload: unknown;
  readonly createdAt: string;
}

/** Shows the messages that a real server would have sent, newest first. */
const Messages = ({ messages }: { readonly messages: readonly ShownMessage[] }) => (
  <section class="stack tight operations" aria-labelledby="messages-title">
    <h2 id="messages-title">Messages that a real server would have sent</h2>
    {messages.length === 0 && <p class="muted">There were no messages to send.</p>}
    {messages.map(({ id, kind, target, payload, createdAt }) => (
      <details class="operation" key={id} id={`message-${id}`}>
        <summary>
          <span class="badge">{kind}</span>
          <span>to {hostOf(target)}</span>
          <span class="muted small">
            <TimestampUtc at={createdAt} />
          </span>
        </summary>
        <div class="inside stack tight">
          <Block title="Content" text={redactText(JSON.stringify(payload, undefined, 2))} />
        </div>
      </details>
    ))}
  </section>
);

/** Returns only the host of a target, because the path of a chat address is a secret. */
const hostOf = (target: string): string => (URL.canParse(target) ? new URL(target).host : target);

const Requests = ({ requests }: { readonly requests: readonly RecordedRequest[] }) => (
  <section class="stack tight operations" aria-labelledby="requests-title">
    <div class="row spread">
      <h2 id="requests-title">Requests</h2>
      <form method="post" action="/dev/forms/forget">
        <button type="submit">Clear these requests</button>
      </form>
    </div>
    <p class="muted small">The newest 200 requests, without secrets. Long bodies are shortened.</p>
    <div class="stack tight" id="requests" data-part="list">
      {requests.map((request) => (
        <Request key={request.id} {...request} />
      ))}
    </div>
  </section>
);

const Request = ({ id, method, path, status, at, milliseconds, ...request }: RecordedRequest) => (
  <details class="operation" id={`request-${id}`}>
    <summary>
      <span class={`method ${method.toLowerCase()}`}>{method}</span>
      <code>{visibleLine(path)}</code>
      <span class={status < 400 ? "badge good" : "badge bad"}>{status}</span>
      <span class="muted small">
        {`${milliseconds} ms, `}
        <TimestampUtc at={at} />
      </span>
    </summary>
    <div class="inside stack tight">
      <Block title="Request headers" text={linesOf(request.headers)} />
      <Block title="Request body" text={request.body} />
      <Block title="Answer headers" text={linesOf(request.answerHeaders)} />
      <Block title="Answer body" text={request.answerBody} />
    </div>
  </details>
);

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

const Block = ({ title, text }: { readonly title: string; readonly text: string }) =>
  text === "" ? null : (
    <div>
      <h3>{title}</h3>
      <pre class="code" {...scrolledByKeys}>
        {text}
      </pre>
    </div>
  );

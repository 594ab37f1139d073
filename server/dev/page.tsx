import type { ComponentChildren, VNode } from "preact";
import type { ApiError } from "../../src/contract/errors.ts";
import { assets } from "../console/assets.ts";
import { Brand } from "../console/brand.tsx";
import { Document } from "../console/document.tsx";
import { filledAgain, filledWith, versionOf } from "../console/filled-form.ts";
import type { Fields } from "../console/form-values.tsx";
import type { Links } from "../console/links.ts";
import { Notice } from "../console/parts.tsx";
import type { CycleRow } from "../testing/cycles/store.ts";
import type { OwnedSlotRow } from "../testing/slots/store.ts";
import { ClockCard, FaultsCard, StateCard } from "./cards.tsx";
import type { Fault } from "./faults.ts";
import { Messages, type ShownMessage } from "./messages.tsx";
import type { RecordedRequest } from "./recorder.ts";
import { Requests } from "./requests.tsx";
import { RunningCycle } from "./running-cycle.tsx";
import type { SnapshotFacts } from "./snapshot-files.ts";

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

interface DevPageProps extends DevPageData {
  /** The word for what the last form did. */
  readonly done: string;
  readonly sent?: SentForm | undefined;
}

const doneWords = new Map([
  ["moved", "The clock was moved. What was due has happened."],
  ["fault-added", "The fault was added."],
  ["faults-cleared", "There are no faults any more."],
  ["saved", "The snapshot was saved."],
  ["loaded", "The snapshot was loaded."],
  ["forgotten", "The requests were removed from this page."],
  ["reset", "The server is as at its start."],
]);

/** The page of the development server. It works without scripts; with them it shows requests as they come. */
export const devPage = ({ links, baseUrl, done, sent, ...data }: DevPageProps): VNode => (
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
            <code>{baseUrl}</code> answers only this machine, and sends no messages.
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
    {refusal.details.issues ? "Please correct what is marked below." : refusal.message}
  </Notice>
);

const formOf = (sent: SentForm | undefined, name: SentForm["name"]) =>
  sent?.name === name ? filledAgain(sent.fields, sent.refusal) : filledWith();

interface PartProps {
  readonly id: string;
  /** What the part shows. The script replaces the part when this has changed. */
  readonly of: unknown;
  readonly children: ComponentChildren;
}

const Part = ({ id, of, children }: PartProps) => (
  <div id={id} class="stack wide" data-part="whole" data-version={versionOf(of)}>
    {children}
  </div>
);

import type { OwnedThread } from "../../../src/contract/console/feedback.ts";
import { threads } from "../../../src/contract/console/feedback.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { type DeliveryRow, deliveries } from "../../store/deliveries.ts";
import { Composer } from "../components/composer.tsx";
import type { Filled } from "../components/field.tsx";
import { Framed } from "../components/framed.tsx";
import { Notice } from "../components/notice.tsx";
import { CurrentProposal, EarlierProposals } from "../components/proposal.tsx";
import { Report } from "../components/report.tsx";
import { ThreadAside } from "../components/thread-aside.tsx";
import { ThreadHead } from "../components/thread-head.tsx";
import { Timeline } from "../components/timeline.tsx";
import { versionOf } from "../filled.ts";
import { type AppFrame, appFrameOf } from "../frame.ts";
import { type Reply, show } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

/** The forms of a thread that were sent and refused, to be shown again as they were. */
export interface ThreadForms {
  readonly decision?: Filled;
  /** The run on which a refused decision was made. */
  readonly decidedRunId?: string;
  readonly note?: Filled;
  readonly reply?: Filled;
  readonly edit?: Filled;
}

export const threadPage = (visit: SignedInVisit): Promise<Reply> => showThread(visit);

export async function showThread(visit: SignedInVisit, forms: ThreadForms = {}): Promise<Reply> {
  const frame = await appFrameOf(visit, "inbox");
  const thread = await readThread(visit);
  const sent = await deliveries.list(visit.deps.database, thread.feedback.id);
  const { decision, note, reply, edit } = forms;
  const refusal = [decision, note, reply, edit].find((form) => form)?.refusal;
  return show(<Thread {...{ frame, thread, forms }} deliveries={sent} />, refusal?.status);
}

/** The thread that the path names, within its own app only. Throws `not_found`. */
export async function readThread({ ask, param }: SignedInVisit): Promise<OwnedThread> {
  const thread = await ask(threads.read, { params: { id: param("id") } });
  if (thread.app.id !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return thread;
}

export interface ThreadProps {
  readonly frame: AppFrame;
  readonly thread: OwnedThread;
  readonly forms: ThreadForms;
  readonly deliveries: readonly DeliveryRow[];
}

const Thread = (props: ThreadProps) => {
  const { frame, thread, forms } = props;
  const address = frame.links.thread(frame.app.id, thread.feedback.id);
  return (
    <Framed frame={frame} title={thread.feedback.subject}>
      <a class="back" href={frame.links.inbox(frame.app.id)}>
        <span aria-hidden="true">←</span> Inbox
      </a>
      <ThreadHead thread={thread} />
      <div class="thread">
        <div class="stack">
          <NewerNotice thread={thread} address={address} />
          <Report thread={thread} />
          <CurrentProposal {...props} address={address} />
          <EarlierProposals {...props} />
          <Timeline thread={thread} />
          <Composer forms={forms} sender={thread.sender} address={address} />
        </div>
        <ThreadAside thread={thread} form={forms.edit} address={address} />
      </div>
    </Framed>
  );
};

interface NewerNoticeProps {
  readonly thread: OwnedThread;
  readonly address: string;
}

/** Appears when the proposal on this page is no longer the newest. */
const NewerNotice = ({ thread: { latestProposal }, address }: NewerNoticeProps) => {
  const version = versionOf([latestProposal?.id, latestProposal?.status]);
  return (
    <div id="newest" data-live={version} data-stale="stale">
      <div id="stale" hidden>
        <Notice kind="attention">
          The proposal on this thread has changed since you opened this page.{" "}
          <a href={address}>Show it as it is now</a>
        </Notice>
      </div>
    </div>
  );
};

import { diffArrays } from "diff";
import type { Proposal } from "../../../../src/contract/agent.ts";
import type { OwnedThread } from "../../../../src/contract/threads.ts";
import { countOf } from "../../../../src/words/phrases.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import { versionOf } from "../../../console/forms.tsx";
import type { ProposalDelivery, ProposalLife } from "../../../console/page-reads.ts";
import { Can, HiddenCount, Line, Notice, UserText } from "../../../console/parts.tsx";
import { InTurns } from "../../../console/respond.tsx";
import { Timestamp } from "../../../console/times.tsx";
import { htmlOfWhole } from "../../../content/texts/html.ts";
import { Rendered } from "../../../content/texts/parts.tsx";
import { hashOf } from "../../../secrets/secrets.ts";
import type { Settings } from "../../../settings/settings.ts";
import { comparedProposal } from "../../proposals/rules.ts";
import { nameIn, statusNames } from "../badges.tsx";
import { isUnfinished } from "../rules.ts";
import type { ThreadForms } from "./fields.tsx";
import {
  AfterDecision,
  DecisionForm,
  DecisionRefused,
  heldClaim,
  ProposalState,
  UnsentNote,
} from "./proposal-decision.tsx";

/** The earlier proposals, newest first. A proposal is unfolded while an agent works on it or may claim it. */
export const EarlierProposals = (props: ProposalsProps) => {
  const { thread, lives, forms } = props;
  const earlier = thread.proposals.filter(({ id }) => id !== thread.latestProposal?.id).reverse();
  if (earlier.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="earlier">
      <h2 id="earlier">Earlier proposals</h2>
      {earlier.map((proposal) => {
        const life = lives.get(proposal.id);
        const open = isOpenWork(proposal, life) || forms.orderedRunId === proposal.id;
        return (
          <details class="proposal earlier" key={proposal.id} id={`run-${proposal.id}`} open={open}>
            <summary>
              <ProposalState proposal={proposal} life={life} />
              <Line text={firstLine(proposal.summary)} />
              <span class="when">
                <Timestamp at={proposal.createdAt} />
              </span>
            </summary>
            <div class="inside">
              <AfterDecision {...props} proposal={proposal} life={life} />
              <ProposalText proposal={proposal} html={props.plans.get(proposal.id)} />
            </div>
          </details>
        );
      })}
    </section>
  );
};

const firstLine = (text: string): string => [...(text.split("\n", 1)[0] ?? "")].slice(0, 160).join("");

interface ProposalsProps {
  readonly thread: OwnedThread;
  readonly deliveries: readonly ProposalDelivery[];
  /** The history of each proposal after it was created, by the id of the proposal. */
  readonly lives: ReadonlyMap<string, ProposalLife>;
  readonly plans: RenderedPlans;
  readonly forms: ThreadForms;
  /** The address of the thread. */
  readonly address: string;
  readonly now: Date;
}

/** The plans of the proposals as HTML, by the id of the proposal. */
export type RenderedPlans = ReadonlyMap<string, string>;

/**
 * The maximum number of characters of all plans that a page shows as HTML. Longer plans would delay other
 * requests.
 */
const mostRendered = 131_072;

/**
 * Returns the newest plans as HTML. Hidden characters are visible in the HTML, as they are in the written plan.
 */
export async function renderedPlans(
  settings: Pick<Settings, "baseUrl">,
  proposals: readonly Proposal[],
): Promise<RenderedPlans> {
  const plans = new Map<string, string>();
  let left = mostRendered;
  for (const { id, plan } of proposals.toReversed()) {
    left -= plan.length;
    if (left < 0) break;
    plans.set(id, belowHeading(await htmlOfWhole(settings, visibleLine(plan))));
  }
  return plans;
}

/** Lowers the levels of the headings in HTML, because the page has a heading above the plan. */
const belowHeading = (html: string): string =>
  html.replace(
    /<(\/?)h([1-6])>/g,
    (_, end: string, level: string) => `<${end}h${Math.min(6, Number(level) + 3)}>`,
  );

/** The newest proposal as the agent wrote it, with the decision, or with the form for a decision. */
export const CurrentProposal = (props: ProposalsProps) => {
  const { thread, forms, address, lives } = props;
  const proposal = thread.latestProposal;
  if (!proposal) return null;
  const awaiting = proposal.status === "awaiting_approval";
  const compared = { id: proposal.id, readId: forms.readProposalId };
  const after = <AfterDecision {...props} proposal={proposal} life={lives.get(proposal.id)} />;
  return (
    <section
      class={awaiting ? "proposal awaiting" : "proposal"}
      id="proposal"
      aria-labelledby="proposal-title"
    >
      <header>
        <h2 id="proposal-title">Proposal</h2>
        <ProposalState proposal={proposal} life={lives.get(proposal.id)} />
        <span class="when">
          <Timestamp at={proposal.createdAt} />
        </span>
      </header>
      <div class="inside">
        <DecisionRefused forms={forms} proposals={thread.proposals} />
        <NewerThanRead forms={forms} proposal={proposal} />
        <OpenWork {...props} />
        <FinishedThread thread={thread} />
        {!awaiting && after}
        <ProposalText
          proposal={proposal}
          html={props.plans.get(proposal.id)}
          earlier={awaiting ? comparedProposal(thread.proposals, compared) : undefined}
        />
        {awaiting && after}
      </div>
      <Can needs="maintainer">
        {awaiting ? (
          <DecisionForm proposal={proposal} form={forms.decision} action={`${address}/decision`} />
        ) : (
          <UnsentNote form={forms.decision} />
        )}
      </Can>
    </section>
  );
};

/** Returns a sentence if a thread is finished but its plan waits for a decision; otherwise undefined. */
export function planOfFinished({
  feedback: { status },
  latestProposal,
}: Pick<OwnedThread, "feedback" | "latestProposal">): string | undefined {
  if (isUnfinished(status) || latestProposal?.status !== "awaiting_approval") return undefined;
  return `This thread is ${nameIn(statusNames, status).toLowerCase()}, but a plan still waits for a decision.`;
}

/** Tells a person before the decision that the thread is finished. A script updates this part of the page. */
const FinishedThread = ({ thread }: Pick<ProposalsProps, "thread">) => {
  const words = planOfFinished(thread);
  return (
    <div id="finished" data-live={versionOf(words ?? null)} hidden={words === undefined}>
      {words !== undefined && (
        <Notice kind="attention">
          {words} If you approve it, an agent may work on it. If it is not needed, reject it.
        </Notice>
      )}
    </div>
  );
};

/** Says that an earlier proposal is still approved. A decision on the newest proposal does not change that. */
const OpenWork = ({ thread, lives }: ProposalsProps) => {
  const open = thread.proposals.findLast(
    (proposal) => proposal.id !== thread.latestProposal?.id && isOpenWork(proposal, lives.get(proposal.id)),
  );
  if (!open) return null;
  return (
    <Notice kind="attention">
      {heldClaim(lives.get(open.id))
        ? "An agent still works on an earlier proposal of this thread."
        : "An earlier proposal of this thread is still approved."}{" "}
      A decision on the newest proposal does not change this.{" "}
      <a href={`#run-${open.id}`}>Show the earlier proposal</a>
    </Notice>
  );
};

/** Says that the typed note belongs to an earlier proposal, which a newer one has replaced. */
const NewerThanRead = ({
  forms: { readProposalId, decisionRefused, decision },
  proposal,
}: {
  readonly forms: ThreadForms;
  readonly proposal: Proposal;
}) =>
  decisionRefused ||
  readProposalId === "" ||
  readProposalId === proposal.id ||
  decision.value("note") === "" ? null : (
    <Notice kind="attention">
      <b>A newer proposal replaced the one you read.</b> Your note is kept. Read the newer one before you
      decide.
    </Notice>
  );

/** The summary and the plan, exactly as the agent wrote them. */
const ProposalText = ({
  proposal,
  earlier,
  html,
}: {
  readonly proposal: Proposal;
  /** The plan as HTML; undefined if the plans of the page are too long. */
  readonly html: string | undefined;
  /** The earlier proposal with which the page compares this proposal; undefined if there is none. */
  readonly earlier?: Proposal | undefined;
}) => {
  const { summary, plan } = proposal;
  return (
    <>
      <HiddenCount texts={[summary, plan]} />
      <div>
        <h3>Summary</h3>
        <UserText text={summary} />
      </div>
      {earlier && <PlanChanges earlier={earlier} proposal={proposal} />}
      <div>
        <h3>{earlier ? "The whole plan" : "Plan"}</h3>
        <Plan id={proposal.id} plan={plan} html={html} />
        <Fingerprint plan={plan} />
      </div>
    </>
  );
};

/** The plan as written, and rendered as Markdown. A person decides on the written plan. (rule A56) */
const Plan = ({
  id,
  plan,
  html,
}: {
  readonly id: string;
  readonly plan: string;
  readonly html: string | undefined;
}) => {
  const written = (
    <div class="plan">
      <UserText text={plan} exact />
    </div>
  );
  if (html === undefined) return written;
  const tab = (value: "written" | "rendered", name: string) => (
    <label class="tab">
      <input type="radio" form="" name={`plan-${id}`} value={value} checked={value === "written"} />
      {name}
    </label>
  );
  return (
    <div class="plan-views">
      <fieldset class="tabs">
        <legend class="unseen">How the plan is shown</legend>
        {tab("written", "As written")}
        {tab("rendered", "Rendered")}
      </fieldset>
      {written}
      <div class="rendered-plan">
        <Rendered html={html} />
      </div>
    </div>
  );
};

const Fingerprint = ({ plan }: { readonly plan: string }) => {
  const whole = hashOf(plan);
  return (
    <details class="reveal fingerprint">
      <summary title={whole}>
        SHA-256 of the plan <code>{whole.slice(0, 12)}…</code>
      </summary>
      <p>
        <code>{whole}</code>
      </p>
      <p>If an agent shows a different value, it works on a different plan.</p>
    </details>
  );
};

interface PlanChangesProps {
  /** The earlier proposal, which the person has read. */
  readonly earlier: Proposal;
  readonly proposal: Proposal;
}

/** The difference from an earlier plan, and the changes that a person asked for. */
const PlanChanges = ({ earlier, proposal }: PlanChangesProps) => {
  const difference = planDifference(earlier.plan, proposal.plan);
  return (
    <div>
      <h3>
        What changed since the plan of <Timestamp at={earlier.createdAt} />
      </h3>
      <AskedFor earlier={earlier} />
      <p class="small">{sentenceOf(difference)}</p>
      {difference.kind === "lines" && <Lines lines={difference.lines} />}
    </div>
  );
};

const AskedFor = ({ earlier: { decision, decisionNote } }: Pick<PlanChangesProps, "earlier">) =>
  decision !== "request_changes" || decisionNote === null ? null : (
    <div class="quote asked-for">
      <p class="muted small">The changes that were asked for:</p>
      <UserText text={decisionNote} />
    </div>
  );

function sentenceOf(difference: PlanDifference): string {
  switch (difference.kind) {
    case "same":
      return "The plan is the same, word for word.";
    case "line-ends":
      return "Only the line endings differ, which you cannot see.";
    case "too-different":
      return "The two plans differ too much to compare them line by line. Read the whole plan below.";
    case "lines":
      return `${countOf(difference.added, "line")} added, ${countOf(difference.removed, "line")} removed.`;
  }
}

const Lines = ({ lines }: { readonly lines: readonly DifferenceLine[] }) => (
  <ul class="difference" aria-label="Changed lines of the plan">
    <InTurns>
      {lines.map((line) => (
        <li key={line.at} class={line.kind}>
          {line.kind === "left-out" ? (
            `${countOf(line.count, "line")} not changed`
          ) : (
            <>
              <span class="sign" aria-hidden="true">
                {signs[line.kind]}
              </span>
              {line.kind !== "same" && <span class="unseen">{`${names[line.kind]}: `}</span>}
              <UserText text={line.text} exact />
            </>
          )}
        </li>
      ))}
    </InTurns>
  </ul>
);

const signs = { same: " ", added: "+", removed: "−" } as const;

const names = { added: "Added", removed: "Removed" } as const;

/** A line in the comparison of two plans, or a number of hidden unchanged lines. */
type DifferenceLine =
  | { readonly kind: "same" | "added" | "removed"; readonly at: number; readonly text: string }
  | { readonly kind: "left-out"; readonly at: number; readonly count: number };

type PlanDifference =
  | { readonly kind: "same" | "line-ends" | "too-different" }
  | {
      readonly kind: "lines";
      readonly lines: readonly DifferenceLine[];
      readonly added: number;
      readonly removed: number;
    };

/** The maximum number of changed lines in a comparison. With more lines, the whole plan is easier to read. */
const mostChanges = 400;

/** The number of unchanged lines that the comparison shows before and after a change. */
const around = 3;

/** Compares two plans line by line. Windows and Unix line ends count as equal. (rule A51) */
function planDifference(earlier: string, later: string): PlanDifference {
  if (earlier === later) return { kind: "same" };
  const changes = diffArrays(linesOf(earlier), linesOf(later), { maxEditLength: mostChanges });
  if (!changes) return { kind: "too-different" };
  const lines = changes
    .flatMap(({ added, removed, value }) => {
      const kind = added ? ("added" as const) : removed ? ("removed" as const) : ("same" as const);
      return value.map((text) => ({ kind, text }));
    })
    .map((line, at) => ({ ...line, at }));
  const countOf = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const [added, removed] = [countOf("added"), countOf("removed")];
  if (added + removed === 0) return { kind: "line-ends" };
  return { kind: "lines", lines: withoutDistant(lines), added, removed };
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Replaces the unchanged lines that are far from every change with the number of these lines. */
function withoutDistant(lines: readonly Extract<DifferenceLine, { text: string }>[]): DifferenceLine[] {
  const near = new Set(
    lines.flatMap(({ kind, at }) =>
      kind === "same" ? [] : Array.from({ length: 2 * around + 1 }, (_, step) => at - around + step),
    ),
  );
  const shown: DifferenceLine[] = [];
  for (const line of lines) {
    const last = shown.at(-1);
    if (near.has(line.at)) shown.push(line);
    else if (last?.kind === "left-out") shown[shown.length - 1] = { ...last, count: last.count + 1 };
    else shown.push({ kind: "left-out", at: line.at, count: 1 });
  }
  return shown;
}

/** Whether an agent is working on the proposal or may still claim it. */
const isOpenWork = ({ status }: Proposal, life: ProposalLife | undefined): boolean =>
  status === "approved" && !heldClaim(life)?.outcome;

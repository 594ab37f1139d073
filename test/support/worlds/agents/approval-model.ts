const hour = 3_600_000;

/** A step of somebody: who does it, and to which proposal, counted from the newest. */
export interface Step {
  readonly kind: StepKind;
  readonly who: number;
  readonly back: number;
}

/** The kinds of steps, and how often each is taken: most proposals are approved, claimed and released. */
export const stepKinds = [
  ...([
    ["propose", 4],
    ["approve", 6],
    ["reject", 1],
    ["request_changes", 1],
    ["recall", 4],
  ] as const),
  ...([
    ["claim", 10],
    ["release", 5],
    ["outcome", 1],
    ["progress", 2],
  ] as const),
  ...([
    ["revoke", 1],
    ["erase", 2],
    ["hours_pass", 3],
  ] as const),
] as const;

export type StepKind = (typeof stepKinds)[number][0];

/**
 * The state of one proposal according to the rules. `claims`: for each agent, whether its claim is active or released.
 */
export interface ModelRun {
  readonly id: string;
  plan: string;
  decision: string | null;
  wasApproved: boolean;
  expiresAt: number;
  finished: boolean;
  readonly claims: Map<number, "held" | "released">;
}

/**
 * A model of a thread with its proposals, newest last. It was written from the rules A3 to A24 and shares no code with
 * the server.
 */
export interface Model {
  readonly runs: ModelRun[];
  readonly revoked: Set<number>;
  now: number;
}

export const emptyModel = (): Model => ({ runs: [], revoked: new Set(), now: 0 });

export const isHeld = ({ claims }: ModelRun): boolean => [...claims.values()].includes("held");

/** The current decision of a proposal. An approval that nobody claimed in time has expired. */
export const decisionOf = ({ now }: Model, { decision, expiresAt }: ModelRun): string | null =>
  decision === "approve" && expiresAt <= now ? "expired" : decision;

/**
 * Some plans contain the address of a person who is erased. Their approvals end, because no person has read the changed
 * text. (rule P12)
 */
export function erased(model: Model, address: string): void {
  for (const run of model.runs.filter(({ plan }) => plan.includes(address))) {
    run.plan = run.plan.replaceAll(address, "[erased]");
    if (run.finished) continue;
    if (run.decision === null) run.decision = "request_changes";
    if (decisionOf(model, run) !== "approve") continue;
    for (const [who, state] of run.claims) if (state === "held") run.claims.set(who, "released");
    run.decision = "recalled";
  }
}

/** The answer that the rules require, as status and code. The model changes as the rules require. */
export function expected(model: Model, { kind, who }: Step, run: ModelRun | undefined): string {
  const agentsDo = ["propose", "claim", "outcome", "progress"].includes(kind);
  if (agentsDo && model.revoked.has(who)) return "401 invalid_token";
  if (kind === "propose") return proposed(model);
  if (!run) return "none";
  const rule = rules[kind];
  return rule ? rule(model, run, who) : "none";
}

function proposed({ runs }: Model): string {
  for (const run of runs) if (run.decision === null) run.decision = "replaced";
  return "201";
}

type Rule = (model: Model, run: ModelRun, who: number) => string;

const decides =
  (decision: string): Rule =>
  (model, run) => {
    if (run.decision !== null) return "409 already_decided";
    run.decision = decision;
    run.wasApproved = decision === "approve";
    run.expiresAt = model.now + hour;
    return "200";
  };

const rules: Partial<Record<StepKind, Rule>> = {
  approve: decides("approve"),
  reject: decides("reject"),
  request_changes: decides("request_changes"),

  recall(model, run) {
    if (decisionOf(model, run) !== "approve") return "409 wrong_state";
    if (isHeld(run)) return "409 run_claimed";
    run.decision = "recalled";
    return "200";
  },

  claim(model, run, who) {
    if (run.claims.get(who) === "held") return "200";
    if (decisionOf(model, run) !== "approve") return "409 wrong_state";
    if (isHeld(run)) return "409 run_claimed";
    const newer = model.runs.slice(model.runs.indexOf(run) + 1);
    if (newer.some(({ wasApproved }) => wasApproved)) return "409 run_superseded";
    run.claims.set(who, "held");
    run.expiresAt = Number.POSITIVE_INFINITY;
    return "200";
  },

  release(model, run) {
    if (!isHeld(run) || run.finished) return "409 wrong_state";
    for (const [who, state] of run.claims) if (state === "held") run.claims.set(who, "released");
    run.expiresAt = model.now + hour;
    return "200";
  },

  outcome(model, run, who) {
    const refused = reported(model, run, who);
    if (refused !== "200") return refused;
    run.finished = true;
    return "200";
  },

  progress: (model, run, who) => reported(model, run, who),
};

function reported(_: Model, run: ModelRun, who: number): string {
  const own = run.claims.get(who);
  if (own === undefined) return "404 not_found";
  if (own === "released") return "409 claim_released";
  return run.finished ? "409 wrong_state" : "200";
}

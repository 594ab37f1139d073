import type { Context } from "koa";
import type * as z from "zod/mini";
import { ApiError } from "../../src/contract/errors.ts";
import { faultsOf, ownMessages } from "../../src/contract/issues.ts";
import { type Fields, readForm } from "../console/form-values.tsx";
import { consolePathOf, createLinks } from "../console/links.ts";
import { createRespond } from "../console/respond.ts";
import type { Deps } from "../deps.ts";
import { isOwnOrigin } from "../http/authenticate.ts";
import { senderOf } from "../http/body/incoming-body.ts";
import type { RequestSteps, Route } from "../http/mount.ts";
import { cycles } from "../testing/cycles/store.ts";
import { slots } from "../testing/slots/store.ts";
import type { DevActions } from "./actions.ts";
import { clockMoveOf } from "./clock.ts";
import { Move, NewFault, snapshotName } from "./contract.ts";
import { type DevPageData, devPage, type SentForm } from "./page.tsx";
import type { Recorder } from "./recorder.ts";

interface DevPageParts {
  readonly deps: Deps;
  readonly steps: RequestSteps;
  readonly actions: DevActions;
  readonly recorder: Recorder;
}

const shownCycles = 3;
const shownMessages = 50;

/** The page of the development server, and its forms. Each form answers with a redirect to the page. (rule O16) */
export function pageRoutes(parts: DevPageParts): Route[] {
  const { deps, steps } = parts;
  const respond = createRespond(deps.settings, steps);
  const show = async (ctx: Context, done: string, sent?: SentForm) =>
    await respond(ctx, {
      status: sent ? sent.refusal.status : 200,
      document: devPage({ ...(await dataOf(parts)), done, sent }),
    });

  const form = (name: SentForm["name"], act: FormAction): Route => ({
    method: "POST",
    path: `/dev/forms/${name}`,
    async answer(ctx) {
      refuseForeignForm(ctx, deps.settings);
      const sender = senderOf(undefined, steps.addressOf(ctx.req));
      const fields = await readForm(ctx.req, { arrivals: steps.arrivals, sender });
      try {
        await respond(ctx, { location: `/dev?done=${await act(fields)}` });
      } catch (refusal) {
        if (!(refusal instanceof ApiError)) throw refusal;
        await show(ctx, "", { name, fields, refusal });
      }
    },
  });

  return [
    {
      method: "GET",
      path: "/dev",
      answer: (ctx) => show(ctx, new URLSearchParams(ctx.querystring).get("done") ?? ""),
    },
    ...formsOf(parts).map(([name, act]) => form(name, act)),
  ];
}

async function dataOf({ deps, actions, recorder }: DevPageParts): Promise<DevPageData> {
  const { settings, database, clock } = deps;
  const running = await cycles.running(database, shownCycles);
  return {
    links: createLinks(consolePathOf(settings).href),
    baseUrl: settings.baseUrl,
    now: actions.now(),
    offsetMs: clock.offsetMs,
    faults: actions.faults(),
    snapshots: await actions.snapshots(),
    messages: (await actions.messages()).slice(0, shownMessages),
    requests: recorder.list(),
    cycles: await Promise.all(
      running.map(async (cycle) => ({ cycle, slots: await slots.list(database, cycle.id) })),
    ),
  };
}

/** Does what a form asks for. Returns the word for what it did. */
type FormAction = (fields: Fields) => Promise<string>;

const formsOf = ({ actions, recorder }: DevPageParts): [SentForm["name"], FormAction][] => [
  [
    "clock",
    async (fields) => {
      await aboutField("move", () => actions.moveClock(parsed(Move, clockMoveOf(fields.text("move")))));
      return "moved";
    },
  ],
  [
    "fault",
    async (fields) => {
      actions.addFault(parsed(NewFault, faultIn(fields)));
      return "fault-added";
    },
  ],
  [
    "clear-faults",
    async () => {
      actions.clearFaults();
      return "faults-cleared";
    },
  ],
  [
    "snapshot",
    async (fields) => {
      await aboutField("name", () => actions.saveSnapshot(parsed(snapshotName, fields.text("name"))));
      return "saved";
    },
  ],
  [
    "load",
    async (fields) => {
      await actions.loadSnapshot(parsed(snapshotName, fields.text("name")));
      return "loaded";
    },
  ],
  [
    "forget",
    async () => {
      recorder.clear();
      return "forgotten";
    },
  ],
  [
    "reset",
    async () => {
      await actions.reset();
      return "reset";
    },
  ],
];

/** Browsers name the page that a form was sent from. A form without a name was not sent by the page. */
function refuseForeignForm({ req }: Context, settings: Deps["settings"]): void {
  if (isOwnOrigin(req.headers.origin, settings)) return;
  throw new ApiError("forbidden", {
    message: `This form was not sent from ${settings.baseUrl}/dev. Open that page and send it again.`,
  });
}

const faultIn = (fields: Fields) => ({
  path: fields.text("path"),
  ...numberIn(fields, "status"),
  ...numberIn(fields, "times"),
  ...numberIn(fields, "delayMs"),
});

const numberIn = (fields: Fields, name: string) =>
  fields.text(name).trim() === "" ? {} : { [name]: Number(fields.text(name)) };

/** The parsed value. Throws `bad_request` with its faults. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, success } = schema.safeParse(value, ownMessages);
  if (success) return data;
  throw new ApiError("bad_request", { issues: faultsOf(schema, value) });
}

/** Does the work of a form with one field. Its faults are faults of that field. */
async function aboutField(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details.issues) throw error;
    throw new ApiError("bad_request", {
      issues: error.details.issues.map(({ message }) => ({ path: name, message })),
    });
  }
}

import type { AuditActionName, AuditChange } from "../../../src/contract/audit.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { webhooks as contract, Webhook } from "../../../src/contract/events.ts";
import { limits } from "../../../src/contract/limits.ts";
import { newWebhookSecret } from "../../../src/words/webhook-signature.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { type Author, createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { appTopic, webhooksOffTopic, webhooksTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import {
  type ConsoleCaller,
  type Handlers,
  idPart,
  instantPart,
  pageOf,
  readCursor,
} from "../../http/handler.ts";
import { maskAddress, openAddress, sealAddress } from "../../secrets/secrets.ts";
import { deliveryAnswer, oldSecretHours, storedEvents, webhookAnswer } from "./rules.ts";
import { deliveries, events, webhooks as rows, type WebhookState } from "./store.ts";

interface OfWebhook {
  readonly appId: string;
  readonly webhookId: string;
}

type WebhooksDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer">;

type SentAgain = "resend" | "test" | "replay";

/** Returns the handlers for the webhooks of an app. (rules O25 to O31) */
export const webhooks = (deps: WebhooksDeps): Handlers<typeof contract> => ({
  ...settingsHandlers(deps),
  ...sendingHandlers(deps),
});

/** Returns the handlers that list and change webhooks. */
function settingsHandlers(
  deps: WebhooksDeps,
): Omit<Handlers<typeof contract>, SentAgain | "deliveries" | "rotate"> {
  const { clock, database, newId, sealer } = deps;
  const note = createNote(deps);
  const nowText = () => clock.now().toISOString();
  const answerOf = (row: WebhookState): Webhook =>
    webhookAnswer(row, { url: openAddress(sealer, row.url), now: clock.now() });

  return {
    async list({ caller, params: { appId } }) {
      await ownedApp(database, appId, caller);
      return { items: (await rows.list(database, appId)).map(answerOf) };
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        await refuseTooMany(tx, appId);
        const id = newId();
        const secret = newWebhookSecret();
        await rows.insert(tx, {
          ...{ id, appId, url: sealAddress(sealer, body.url), secret: sealAddress(sealer, secret) },
          events: storedEvents(body.events ?? null),
          ...{ texts: Number(body.texts ?? false), createdAt: nowText() },
        });
        const row = await ownedWebhook(tx, { appId, webhookId: id }, caller);
        await note(tx, { caller, address }, { action: "webhook.create", row });
        tx.signal(appTopic(appId));
        return { ...answerOf(row), secret };
      }),

    update: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const before = await ownedWebhook(tx, params, caller);
        await rows.update(tx, before, {
          ...(body.url === undefined ? {} : { url: sealAddress(sealer, body.url) }),
          ...(body.events === undefined ? {} : { events: storedEvents(body.events) }),
          ...(body.texts === undefined ? {} : { texts: Number(body.texts) }),
          ...switched(before, body.enabled, nowText()),
        });
        if (body.enabled === false) {
          await rows.giveUp(tx, before.id);
          tx.signal(webhooksOffTopic);
        }
        const row = await ownedWebhook(tx, params, caller);
        const changes = changesBetween(audited(answerOf(before)), audited(answerOf(row)), ["url"]);
        await note(tx, { caller, address }, { action: "webhook.update", row, changes });
        tx.signal(appTopic(row.appId));
        return answerOf(row);
      }),

    remove: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const row = await ownedWebhook(tx, params, caller);
        await rows.remove(tx, row, nowText());
        await note(tx, { caller, address }, { action: "webhook.delete", row });
        tx.signal(appTopic(row.appId));
        tx.signal(webhooksOffTopic);
        return undefined;
      }),
  };
}

/** Returns the handlers for the secret and the log of a webhook, and the handlers that send events again. */
function sendingHandlers(
  deps: WebhooksDeps,
): Pick<Handlers<typeof contract>, SentAgain | "deliveries" | "rotate"> {
  const { clock, database, newId, sealer } = deps;
  const note = createNote(deps);
  const nowText = () => clock.now().toISOString();
  return {
    rotate: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        // A simultaneous request waits for this lock. Otherwise two requests could keep the same old secret.
        await tx.lock(`webhook:${params.webhookId}`);
        const row = await ownedWebhook(tx, params, caller);
        const secret = newWebhookSecret();
        const hours = body.oldSecretHours ?? oldSecretHours;
        const oldUntil =
          hours === 0 ? null : new Date(clock.now().getTime() + hours * 3_600_000).toISOString();
        await rows.update(tx, row, {
          ...{ secret: sealAddress(sealer, secret), oldSecret: hours === 0 ? null : row.secret, oldUntil },
        });
        await note(tx, { caller, address }, { action: "webhook.rotate", row });
        return { id: row.id, secret, oldSecretUntil: oldUntil };
      }),

    async deliveries({ caller, params, query }) {
      const { cursor, status, limit = limits.listPage.default } = query;
      const position = readCursor(cursor, [instantPart, idPart]);
      const { id } = await ownedWebhook(database, params, caller);
      const found = await deliveries.list(database, id, { status, position, limit: limit + 1 });
      const { items, nextCursor } = pageOf(found, limit, (row) => [row.eventAt, row.id]);
      return { items: items.map(deliveryAnswer), nextCursor };
    },

    resend: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const row = await enabledWebhook(tx, params, caller);
        const event = await events.find(tx, row.appId, params.deliveryId);
        const known = event && (await deliveries.find(tx, row.id, event.id));
        if (!event || !known) throw new ApiError("not_found");
        await deliveries.queueFor(tx, row.id, event, nowText());
        await note(tx, { caller, address }, { action: "webhook.resend", row });
        tx.signal(webhooksTopic);
        return queuedDelivery(tx, row.id, event.id);
      }),

    test: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const row = await enabledWebhook(tx, params, caller);
        const event = {
          ...({ id: newId(), appId: row.appId, type: "webhook.test", subjectId: row.id } as const),
          ...{ facts: {}, createdAt: nowText() },
        };
        await events.insert(tx, event);
        await deliveries.queueFor(tx, row.id, event, nowText());
        await note(tx, { caller, address }, { action: "webhook.test", row });
        tx.signal(webhooksTopic);
        return queuedDelivery(tx, row.id, event.id);
      }),

    replay: ({ caller, address, params, body: { from, to }, save }) =>
      save(async (tx) => {
        if (to < from) throw badRequest("to", "must not be before `from`");
        const row = await enabledWebhook(tx, params, caller);
        const most = limits.replayedEvents;
        const { queued, last } = await deliveries.queueRange(tx, row, { from, to, now: nowText(), most });
        await note(tx, { caller, address }, { action: "webhook.replay", row });
        tx.signal(webhooksTopic);
        return { queued, next: queued < most || last === null ? null : afterInstant(last) };
      }),
  };
}

/** Creates the function that writes to the audit log. Masks the address, which can be a secret. */
function createNote(deps: WebhooksDeps) {
  const record = createAuditWriter(deps);
  return (
    tx: Transaction,
    author: Author,
    {
      action,
      row,
      changes,
    }: {
      readonly action: AuditActionName;
      readonly row: WebhookState;
      readonly changes?: readonly AuditChange[] | undefined;
    },
  ) => {
    const label = maskAddress(openAddress(deps.sealer, row.url));
    return record(tx, author, { action, appId: row.appId, target: row.id, label, changes });
  };
}

async function refuseTooMany(tx: Transaction, appId: string): Promise<void> {
  await tx.lock(`webhooks:${appId}`);
  if ((await rows.count(tx, appId)) < limits.webhooks) return;
  throw new ApiError("wrong_state", {
    message: `The app has ${limits.webhooks} webhooks already. Delete one of them first.`,
  });
}

/** Returns the webhook if the caller may see it. Throws `not_found` otherwise. */
async function ownedWebhook(
  reader: Reader,
  { appId, webhookId }: OfWebhook,
  viewer: ConsoleCaller,
): Promise<WebhookState> {
  await ownedApp(reader, appId, viewer);
  const row = await rows.find(reader, { appId, id: webhookId });
  if (!row) throw new ApiError("not_found");
  return row;
}

async function enabledWebhook(tx: Transaction, params: OfWebhook, viewer: ConsoleCaller) {
  const row = await ownedWebhook(tx, params, viewer);
  if (row.disabledAt === null) return row;
  throw new ApiError("wrong_state", { message: "The webhook is switched off. Switch it on first." });
}

async function queuedDelivery(tx: Transaction, webhookId: string, eventId: string) {
  const row = await deliveries.find(tx, webhookId, eventId);
  if (!row) throw new ApiError("not_found");
  return deliveryAnswer(row);
}

function switched({ disabledAt }: WebhookState, enabled: boolean | undefined, now: string) {
  if (enabled === undefined || enabled === (disabledAt === null)) return {};
  return enabled
    ? { disabledAt: null, disabledBecause: null }
    : { disabledAt: now, disabledBecause: "person" };
}

/** Returns the fields of a webhook that the audit compares. */
const audited = ({ url, events: chosen, texts, disabledAt }: Webhook) => ({
  ...{ url, texts, enabled: disabledAt === null },
  events: chosen === null ? null : chosen.join(", "),
});

const afterInstant = (at: string): string => new Date(Date.parse(at) + 1).toISOString();

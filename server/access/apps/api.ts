import type { App, AppChange, apps as contract } from "../../../src/contract/apps.ts";
import type { keys as keysContract } from "../../../src/contract/credentials.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { pictures } from "../../content/texts/store.ts";
import { accessTopic, appTopic, credentialsTopic, tokensTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { targetOf } from "../../feedback/chat/post.ts";
import { chatAddressFault, chatFormatOf } from "../../feedback/chat/rules.ts";
import { chatChanged, outbox } from "../../feedback/chat/store.ts";
import {
  removeFiles,
  removeLastThreads,
  removeThreads,
  retention,
} from "../../feedback/threads/store/removal.ts";
import type { Handlers } from "../../http/handler.ts";
import { maskAddress, openAddress, sealAddress } from "../../secrets/secrets.ts";
import { proofs } from "../../testing/tester/store.ts";
import { removeReceivers } from "../../webhooks/endpoints/worker.ts";
import { createAuditWriter } from "../audit/record.ts";
import { changesBetween } from "../audit/rules.ts";
import { createApp, createKey, renewKey } from "../credentials.ts";
import type { Seen } from "../members/visibility.ts";
import { type AppRow, apiKeys, ownedApp, apps as rows } from "./store.ts";

export function apps(
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId" | "sealer">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  const appAnswer = createAppAnswer(deps);
  const sealedIn = createSealedIn(deps);
  return {
    list: async ({ caller }) => ({ items: (await rows.list(deps.database, caller)).map(appAnswer) }),

    create: ({ caller, address, body, save }) => {
      checkChat(deps, undefined, body);
      return save(async (tx) => {
        const app = await createApp(deps, tx, { ownerId: caller.userId, app: sealedIn(body) });
        await record(tx, { caller, address }, { action: "app.create", appId: app.id, target: app.id });
        return appAnswer({ ...app, viewerRole: "owner" });
      });
    },

    read: async ({ caller, params }) => appAnswer(await ownedApp(deps.database, params.appId, caller)),

    update: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        const row = await ownedApp(tx, appId, caller);
        const present = appAnswer(row);
        checkChat(deps, row, body);
        await rows.update(tx, appId, {
          ...sealedIn(body, present),
          ...{ by: caller.userId, at: deps.clock.now().toISOString() },
        });
        const after = await ownedApp(tx, appId, caller);
        if (row.chatFormat !== after.chatFormat || targetOf(deps, row) !== targetOf(deps, after))
          await outbox.giveUpAll(tx, appId, chatChanged);
        const app = appAnswer(after);
        // The address of the webhook is a secret, so the audit must not contain it.
        const changes = changesBetween(present, app, ["chatWebhookUrl"]);
        await record(tx, { caller, address }, { action: "app.update", appId, target: appId, changes });
        tx.signal(accessTopic(appId));
        return app;
      }),

    async retention({ caller, params: { appId }, query }) {
      const { retentionDays } = await ownedApp(deps.database, appId, caller);
      const days = query.days ?? retentionDays;
      if (days === null) return { threads: 0, more: false };
      const most = limits.oldThreadsCounted;
      const asked = { days, now: deps.clock.now(), most: most + 1 };
      const found = await retention.countDue(deps.database, appId, asked);
      return { threads: Math.min(found, most), more: found > most };
    },

    async remove({ caller, address, params: { appId }, save }) {
      await ownedApp(deps.database, appId, caller);
      await removeReceivers(deps.database, appId, deps.clock.now().toISOString());
      await removeThreads(deps, appId);
      let files: string[] = [];
      await save(async (tx) => {
        await ownedApp(tx, appId, caller);
        files = [
          ...(await removeLastThreads(tx, appId)),
          ...(await proofs.removeImages(tx, appId)),
          ...(await pictures.removeOfApp(tx, appId)),
        ];
        await rows.remove(tx, appId);
        await record(tx, { caller, address }, { action: "app.delete", appId, target: appId });
        tx.signal(credentialsTopic);
        tx.signal(tokensTopic);
        return undefined;
      });
      removeFiles(deps, files);
      return undefined;
    },
  };
}

const createAppAnswer =
  ({ sealer }: Pick<Deps, "sealer">) =>
  (row: Seen<AppRow>): App => ({
    ...row,
    role: row.viewerRole,
    feedbackEnabled: row.feedbackEnabled === 1,
    changelogEnabled: row.changelogEnabled === 1,
    senderPages: row.senderPages === 1,
    chatWebhookUrl: row.chatWebhookUrl && maskAddress(openAddress(sealer, row.chatWebhookUrl)),
  });

/** Throws `bad_request` if the chat address does not fit the chat format after the change. (rule N9) */
function checkChat(
  { sealer }: Pick<Deps, "sealer">,
  row: Pick<AppRow, "chatWebhookUrl" | "chatFormat"> | undefined,
  { chatWebhookUrl: given, chatFormat }: AppChange,
): void {
  if (given === undefined && chatFormat === undefined) return;
  const stored = row?.chatWebhookUrl ? openAddress(sealer, row.chatWebhookUrl) : null;
  const isMask = stored !== null && given === maskAddress(stored);
  const address = given === undefined || isMask ? stored : given;
  if (address === null) return;
  const fault = chatAddressFault(chatFormat ?? chatFormatOf(row?.chatFormat ?? ""), address);
  if (fault !== undefined) throw badRequest("chatWebhookUrl", fault);
}

/** Creates a function that encrypts a new chat address. A masked address in the request changes nothing. */
const createSealedIn =
  ({ sealer }: Pick<Deps, "sealer">) =>
  <Body extends AppChange>({ chatWebhookUrl, ...body }: Body, present?: App) => {
    if (chatWebhookUrl === undefined || chatWebhookUrl === present?.chatWebhookUrl) return body;
    return { ...body, chatWebhookUrl: chatWebhookUrl && sealAddress(sealer, chatWebhookUrl) };
  };

export function apiKeyHandlers(
  deps: Pick<Deps, "clock" | "database" | "newId">,
): Handlers<typeof keysContract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      return { items: await apiKeys.list(deps.database, params.appId) };
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const key = await createKey(deps, tx, { ...body, appId });
        await record(
          tx,
          { caller, address },
          { action: "key.create", appId, target: key.id, label: key.label },
        );
        return key;
      }),

    regenerate: ({ caller, address, params: { appId, keyId }, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const key = await renewKey(deps, tx, { appId, keyId });
        if (!key) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "key.regenerate", appId, target: keyId });
        tx.signal(appTopic(appId));
        return key;
      }),

    remove: ({ caller, address, params: { appId, keyId }, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const removed = await apiKeys.remove(tx, appId, keyId);
        if (!removed) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "key.delete", appId, target: keyId, ...removed });
        tx.signal(appTopic(appId));
        return undefined;
      }),
  };
}

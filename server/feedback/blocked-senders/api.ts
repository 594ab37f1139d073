import type { blockedSenders as contract } from "../../../src/contract/correspondence.ts";
import { suffices } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { users } from "../../access/accounts/store.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { appTopic, threadsTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import { hiddenFeedback, blockedSenders as rows } from "./store.ts";

const mostHidden = 100;

/** The handlers for blocked senders and for their hidden feedback. (rule F34) */
export function blockedSenders(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params: { appId } }) {
      await ownedApp(deps.database, appId, caller);
      return { items: await rows.list(deps.database, appId) };
    },

    create: ({ caller, address, params: { appId }, body: { kind, sender: given }, save }) =>
      save(async (tx) => {
        const { viewerRole } = await ownedApp(tx, appId, caller);
        // Only an owner may block a domain, because the domain may belong to a mail service that many people use.
        if (kind === "domain" && !suffices(viewerRole, "owner"))
          throw new ApiError("forbidden", { message: "Only an owner of this app may block a mail domain." });
        const sender = rows.storedFormOf(kind, given);
        if (sender === undefined) throw badRequest("sender", "must be a mail domain such as example.org");
        const block = { id: deps.newId(), kind, sender, createdAt: deps.clock.now().toISOString() };
        if (!(await rows.insert(tx, { ...block, appId, by: caller.userId })))
          throw new ApiError("wrong_state", { message: "This sender is already blocked." });
        if ((await rows.list(tx, appId)).length > limits.blockedSenders)
          throw new ApiError("wrong_state", {
            message: `This app already has ${limits.blockedSenders} blocked senders, which is the maximum. Unblock some senders first.`,
          });
        await record(tx, { caller, address }, { action: "sender.block", appId, target: sender });
        tx.signal(appTopic(appId));
        const blockedByName = (await users.find(tx, caller.userId))?.name ?? null;
        return { ...block, blockedBy: caller.email, blockedByName };
      }),

    async remove({ caller, address, params: { blockedSenderId: id }, save }) {
      const { appId } = await ownedBlock(deps.database, id, caller);
      await releaseInParts({ appId, blockId: id }, (part) => deps.database.write(part));
      return save(async (tx) => {
        const { sender } = await ownedBlock(tx, id, caller);
        // Releases the feedback that arrived while the first `releaseInParts` ran.
        await releaseInParts({ appId, blockId: id }, (part) => part(tx));
        await rows.remove(tx, id);
        await record(tx, { caller, address }, { action: "sender.unblock", appId, target: sender });
        tx.signal(appTopic(appId));
        tx.signal(threadsTopic);
        return undefined;
      });
    },

    async listHidden({ caller, params: { appId } }) {
      await ownedApp(deps.database, appId, caller);
      return { items: await hiddenFeedback.list(deps.database, appId, mostHidden) };
    },

    release: ({ caller, address, params: { hiddenId: id }, save }) =>
      save(async (tx) => {
        const { found, isReport } = await hiddenOf(tx, id, caller);
        const { appId, ...hidden } = found;
        if (isReport) await hiddenFeedback.releaseReport(tx, id);
        else {
          await hiddenFeedback.releaseAnswer(tx, id);
          await noteActivity(tx, hidden.threadId, { at: hidden.createdAt });
        }
        const target = hidden.threadId;
        await record(tx, { caller, address }, { action: "sender.release", appId, target });
        return hidden;
      }),
  };
}

/** Returns the blocked sender if the caller may unblock it. Otherwise throws `not_found` or `forbidden`. */
async function ownedBlock(reader: Reader, id: string, caller: ConsoleCaller) {
  const block = await rows.find(reader, caller, id);
  if (!block) throw new ApiError("not_found");
  if (block.kind === "domain" && !suffices(block.viewerRole, "owner")) throw new ApiError("forbidden");
  return block;
}

/**
 * The number of rows that one transaction releases. With this small number, other writes wait only a few milliseconds.
 */
const atOnce = 200;

type Part<Result> = (tx: Transaction) => Promise<Result>;

/** Releases all hidden feedback of a blocked sender, at most 200 rows in each call of `write`. */
async function releaseInParts(
  block: { readonly appId: string; readonly blockId: string },
  write: (part: Part<string | undefined>) => Promise<string | undefined>,
): Promise<void> {
  for (const release of [hiddenFeedback.releaseReports, hiddenFeedback.releaseAnswers])
    for (let from: string | undefined = ""; from !== undefined; ) {
      const some = { ...block, from, most: atOnce };
      from = await write((tx) => release(tx, some));
    }
}

/** Returns a hidden report or answer. Throws `not_found` if the caller is not a member of its app. */
async function hiddenOf(reader: Reader, id: string, caller: ConsoleCaller) {
  const report = await hiddenFeedback.findReport(reader, caller, id);
  const found = report ?? (await hiddenFeedback.findAnswer(reader, caller, id));
  if (!found) throw new ApiError("not_found");
  return { found, isReport: report !== undefined };
}

import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { notices as contract, NoticeBrowser } from "../../../src/contract/notices.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { addressRefusal, reachOf } from "../../http/post-safely.ts";
import { hashOf, sealAddress } from "../../secrets/secrets.ts";
import { type BrowserRow, noticeBrowsers as rows } from "./store.ts";
import { isPublicKey, keysOfServer } from "./worker.ts";

type BrowserDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/** Returns the handlers for the browsers that show notices to a person. (rule N10) */
export function noticeBrowsers(
  deps: BrowserDeps,
): Pick<Handlers<typeof contract>, "browsers" | "addBrowser" | "removeBrowser"> {
  const { clock, database } = deps;
  return {
    async browsers({ caller }) {
      const { publicKey } = await keysOfServer(deps);
      const found = await rows.list(database, caller.userId, clock.now().toISOString());
      return { key: publicKey, items: found.map((row) => answerOf(row, caller)) };
    },

    addBrowser: ({ caller, body, save }) => {
      const fault = addressFault(deps, body.endpoint);
      if (fault !== undefined) throw badRequest("endpoint", fault);
      if (!isPublicKey(body.p256dh)) throw badRequest("p256dh", "must be the public key of a browser");
      return save((tx) => addBrowser(deps, tx, caller, body));
    },

    removeBrowser: ({ caller, params: { browserId }, save }) =>
      save(async (tx) => {
        const row = await rows.find(tx, caller.userId, browserId);
        if (row === undefined) throw new ApiError("not_found");
        await rows.remove(tx, row.id);
        return undefined;
      }),
  };
}

/** Returns why no notices can be sent to an address; undefined if they can. (rule N11) */
function addressFault({ settings }: Pick<Deps, "settings">, endpoint: string): string | undefined {
  const reach = reachOf(settings);
  if (reach === "public" && !endpoint.toLowerCase().startsWith("https:")) return "must be an https address";
  const refusal = addressRefusal(endpoint, reach);
  return refusal === undefined ? undefined : `must be the address of a push service. ${refusal}`;
}

interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly replaces?: string | undefined;
}

/**
 * Adds or updates a browser. Throws `wrong_state` for too many browsers, and `not_found` for an unknown session
 * or an unknown address in `replaces`.
 */
async function addBrowser(
  { clock, newId, sealer }: BrowserDeps,
  tx: Transaction,
  caller: ConsoleCaller,
  { endpoint, p256dh, auth, replaces }: Subscription,
): Promise<NoticeBrowser> {
  await tx.lock(`browsers of ${caller.userId}`);
  const endpointHash = hashOf(endpoint);
  await tx.lock(`browser at ${endpointHash}`);
  const session = await rows.session(tx, caller.id);
  const known = await rows.findByEndpoint(tx, hashOf(replaces ?? endpoint));
  const own = known?.userId === caller.userId ? known : undefined;
  if (session === undefined || (replaces !== undefined && own === undefined)) throw new ApiError("not_found");
  // If another person used this browser before, that person gets no more notices in this browser.
  const other = await rows.findByEndpoint(tx, endpointHash);
  if (other !== undefined && other.id !== own?.id) await rows.remove(tx, other.id);
  const now = clock.now().toISOString();
  if (own === undefined && (await rows.count(tx, caller.userId, now)) >= limits.noticeBrowsers)
    throw new ApiError("wrong_state", {
      message: `You get notices in ${limits.noticeBrowsers} browsers already. Turn notices off in one of them first.`,
    });
  const id = own?.id ?? newId();
  const browser = {
    ...{ id, userId: caller.userId, sessionHash: caller.id, endpointHash, p256dh },
    ...{ endpointSealed: sealAddress(sealer, endpoint), authSealed: sealAddress(sealer, auth) },
    ...{ browser: session.browser, createdAt: now, expiresAt: session.expiresAt },
  };
  await (own ? rows.renew(tx, browser) : rows.insert(tx, browser));
  const row = await rows.find(tx, caller.userId, id);
  if (row === undefined) throw new ApiError("not_found");
  return answerOf(row, caller);
}

const answerOf = ({ sessionHash, ...row }: BrowserRow, caller: ConsoleCaller): NoticeBrowser => ({
  ...row,
  current: sessionHash === caller.id,
});

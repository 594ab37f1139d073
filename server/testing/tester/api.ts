import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { tester as contract, Slot } from "../../../src/contract/tester.ts";
import type { Reader } from "../../database/database.ts";
import { slotTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { idPart, instantPart, pageOf, readCursor } from "../../http/list-page.ts";
import { hashOf, mintCredential } from "../../secrets/secrets.ts";
import { submitProof } from "../proofs/api.ts";
import { slots } from "../slots/store.ts";
import { type SlotDisplay, slotAnswer } from "./answer.ts";
import { openListings } from "./open-listings.ts";
import { requestSlot } from "./slot-request.ts";
import { testerSlots } from "./store.ts";
import { testerSlotOf } from "./tester-days.ts";
import { updateProfile } from "./tester-profile.ts";
import { createTasks } from "./tester-tasks.ts";

/** `iconUrl` is the icon of apps without an icon. */
export const tester = (
  deps: Pick<
    Deps,
    "clock" | "database" | "keptFiles" | "memory" | "newId" | "passingTime" | "sealer" | "time"
  >,
  iconUrl: string,
): Handlers<typeof contract> => {
  const { database, clock, sealer } = deps;
  const shown: SlotDisplay = { sealer, iconUrl };
  const tasksOf = createTasks(deps, shown);
  const slotOf = async (reader: Reader, slotId: string, testerId: string): Promise<{ slot: Slot }> => {
    const row = await testerSlots.find(reader, slotId, testerId);
    if (!row) throw new ApiError("not_found");
    return { slot: slotAnswer(testerSlotOf(row, clock.now()), shown) };
  };

  return {
    async tasks({ caller, query }) {
      return tasksOf(caller.userId, query.day);
    },

    async slots({ caller }) {
      const now = clock.now();
      const rows = await testerSlots.list(database, caller.userId);
      return { slots: rows.map((row) => slotAnswer(testerSlotOf(row, now), shown)) };
    },

    async listings({ caller, query: { cursor, limit = limits.listPage.default } }) {
      const position = readCursor(cursor, [instantPart, idPart]);
      const asked = { testerId: caller.userId, now: clock.now().toISOString(), position, limit: limit + 1 };
      const rows = await openListings(database, asked);
      const page = pageOf(rows, limit, ({ createdAt, cycleId }) => [createdAt, cycleId]);
      const listings = page.items.map(({ createdAt: _, ...row }) => ({
        ...row,
        iconUrl: row.iconUrl ?? iconUrl,
      }));
      return { listings, nextCursor: page.nextCursor };
    },

    async requestSlot({ caller, params, save }) {
      return save(async (tx) => {
        await requestSlot(deps, tx, { slotId: params.slotId, testerId: caller.userId });
        return slotOf(tx, params.slotId, caller.userId);
      });
    },

    async rotateKey({ caller, params, save }) {
      return save(async (tx) => {
        await slotOf(tx, params.slotId, caller.userId);
        const key = mintCredential("stk_");
        if (
          !(await slots.rotateKey(tx, params.slotId, { keyHash: hashOf(key), keySealed: sealer.seal(key) }))
        )
          throw new ApiError("slot_not_active");
        tx.signal(slotTopic(params.slotId));
        return slotOf(tx, params.slotId, caller.userId);
      });
    },

    submitProof: (request) => submitProof(deps, request),
    updateProfile,
  };
};

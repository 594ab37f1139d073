import type { Reader } from "../../database/database.ts";
import { cycleTopic, slotTopic, topicsOfAllSlots } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { cachedLookup } from "../../http/lookup-cache.ts";
import { countedDaysOf } from "../slots/rules.ts";
import type { TestedSlot } from "./rules.ts";
import { type KeyedSlotRow, type SlotKey, testSessions } from "./store.ts";

/** A slot with a test key, ready for a verdict. */
export interface KeyedSlot extends TestedSlot {
  readonly id: string;
  readonly cycleId: string;
  readonly nextAt: string | null;
}

export interface FindSlot {
  (key: SlotKey): Promise<KeyedSlot | undefined>;
  /** Makes the function that says whether what was found for a key is still in memory as it was. */
  readonly isKept: (key: SlotKey, slot: KeyedSlot | undefined) => () => boolean;
}

/**
 * Finds the slot of a test key. A missing slot is cached like a slot, so that the time of an answer does not show which
 * keys exist.
 */
export function createFindSlot({ database, memory }: Pick<Deps, "database" | "memory">): FindSlot {
  const lookUp = cachedLookup({
    memory,
    async load(name) {
      const [appId = "", keyHash = ""] = name.split(" ");
      return { slot: await loadSlot(database, { appId, keyHash }) };
    },
    dropAll: topicsOfAllSlots,
    topicsOf: ({ slot }) => (slot ? [slotTopic(slot.id), cycleTopic(slot.cycleId)] : []),
    bytesOf: ({ slot }) =>
      smallThings + (slot ? bytesOfDay * (slot.cycle.dayStarts.length + slot.countedDays.size) : 0),
  });
  const find = async (key: SlotKey) => (await lookUp(nameOf(key)))?.slot;
  const isKept = (key: SlotKey, slot: KeyedSlot | undefined) => {
    const name = nameOf(key);
    return () => {
      const known = lookUp.peek(name);
      return known !== undefined && known.slot === slot;
    };
  };
  return Object.assign(find, { isKept });
}

/** How much memory a slot takes beside its days, and each of its days. */
const smallThings = 1_000;
const bytesOfDay = 60;

const nameOf = ({ appId, keyHash }: SlotKey): string => `${appId} ${keyHash}`;

/** The slot of a test key as it is now. A missing slot takes as long as a found one. */
export async function loadSlot(reader: Reader, key: SlotKey): Promise<KeyedSlot | undefined> {
  const row = await testSessions.findSlot(reader, key);
  const slot = keyedSlotOf(row ?? unknownSlotRow);
  return row && slot;
}

const keyedSlotOf = ({
  id,
  cycleId,
  nextAt,
  status,
  activatedAt,
  counted,
  ...cycle
}: KeyedSlotRow): KeyedSlot => ({
  id,
  cycleId,
  nextAt,
  status,
  activatedAt,
  countedDays: countedDaysOf(counted),
  cycle: {
    status: cycle.cycleStatus,
    startsOn: cycle.startsOn,
    timezone: cycle.timezone,
    durationDays: cycle.durationDays,
    dayStarts: startsOf(cycle.dayStarts),
  },
});

const startsOf = (dayStarts: string): string[] => JSON.parse(dayStarts);

/** The stand-in slot for unknown test keys. It never counts, and its day is found as fast as that of a real slot. */
const unknownSlotRow: KeyedSlotRow = {
  id: "",
  cycleId: "",
  status: "removed",
  activatedAt: null,
  counted: ",",
  cycleStatus: "completed",
  startsOn: "2000-01-01",
  timezone: "UTC",
  durationDays: 1,
  dayStarts: '["2000-01-01T00:00:00.000Z","9000-01-01T00:00:00.000Z"]',
  nextAt: null,
};

/** Judged in place of the slot of an unknown test key. */
export const unknownSlot = keyedSlotOf(unknownSlotRow);

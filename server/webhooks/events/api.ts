import { badRequest } from "../../../src/contract/errors.ts";
import type { events as contract } from "../../../src/contract/events.ts";
import { utcOf } from "../../../src/contract/fields.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { accessTopic, appTopic, eventsTopic, tokensTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { hold } from "../../http/held-request.ts";
import { type EventPosition, type EventStart, readers, events as rows } from "../endpoints/store.ts";
import { eventAnswer } from "./rules.ts";

/** Returns the handler that lists the events of an app, or waits for the next event. (rule O30) */
export function events(
  deps: Pick<Deps, "clock" | "database" | "settings" | "stopping" | "waiting">,
): Handlers<typeof contract> {
  const { database, settings } = deps;
  return {
    async list(request) {
      const { caller, callerNow, params, query } = request;
      const { appId } = params;
      const { since, wait = 0, limit = limits.listPage.default } = query;
      await ownedApp(database, appId, caller);
      await noteReader(deps, appId);
      const numbering = await rows.numbering(database);
      const present = await rows.present(database, appId);
      const start = since === undefined ? present : startOf(since, numbering);
      const look = async () => {
        const found = await rows.list(database, appId, start, limit);
        // The access is checked last, because a credential that was revoked during the wait must get no answer.
        if (wait > 0) await ownedApp(database, appId, (await callerNow()) ?? caller);
        // The numbers of the events may have changed while the request waited.
        if (wait > 0 && (await rows.numbering(database)) !== numbering) throw unknownPosition();
        return found;
      };
      const found = await hold(deps, request, {
        topics: [eventsTopic(appId), accessTopic(appId), tokensTopic],
        look,
        enough: (items) => items.length > 0,
        milliseconds: wait * 1_000,
      });
      const last = found.at(-1);
      const after = last ? { number: String(last.number), id: last.id } : positionIn(start, present);
      return {
        items: found.map((row) => eventAnswer(row, settings.consoleUrl)),
        next: positionText(numbering, after),
      };
    },
  };
}

/**
 * Records once a day that a program reads an app's events. In the next 30 days, new reports become events.
 * (rule O25)
 */
async function noteReader({ clock, database }: Pick<Deps, "clock" | "database">, appId: string) {
  const today = `${clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`;
  if ((await readers.lastAt(database, appId)) === today) return;
  await database.write(async (tx) => {
    if (await readers.note(tx, appId, today)) tx.signal(appTopic(appId));
  });
}

const positionIn = (start: EventStart, present: EventPosition): EventPosition =>
  "from" in start ? present : start;

const positionText = (numbering: string, { number, id }: EventPosition): string =>
  Buffer.from(`${numbering} ${number} ${id}`).toString("base64url");

/** Returns where the list begins: at a time, or after a position of an earlier answer. Throws `bad_request`. */
function startOf(since: string, numbering: string): EventStart {
  const from = utcOf(since);
  if (from !== undefined) return { from };
  const [name, number = "", id = "", ...more] = Buffer.from(since, "base64url").toString().split(" ");
  const fits = /^\d{1,18}$/.test(number) && /^(g|[\da-f-]{36})?$/.test(id) && more.length === 0;
  if (fits && name === numbering) return { number, id };
  throw unknownPosition();
}

const unknownPosition = () =>
  badRequest("since", "must be a time, or the `next` of an earlier answer of this server");

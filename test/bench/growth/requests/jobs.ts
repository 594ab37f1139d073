import { circumstances, noticeCauses } from "../../../../server/notices/causes/store.ts";
import { notices } from "../../../../server/notices/waiting/store.ts";
import { deliveries, webhooks } from "../../../../server/webhooks/endpoints/store.ts";
import { idOf, ids, type Measured } from "./measured.ts";

const past = "2026-01-01T00:00:00.000Z";
const future = "2999-01-01T00:00:00.000Z";
const person = "notices of the first person";

type Work = NonNullable<Measured["work"]>;
const job = (name: string, work: Work): Measured => ({
  name: `job: ${name}`,
  by: "nobody",
  path: name,
  work,
});

/** The reads that background jobs repeat. */
export const jobs: readonly Measured[] = [
  job("notices due now", (database) => notices.due(database, "mail", new Date().toISOString(), 20)),
  job("notices due, if all that wait were", (database) => notices.due(database, "daily", future, 20)),
  job("when notices are due", (database) => notices.nextDue(database, "mail")),
  job(person, (database) => notices.waitingOf(database, idOf("2", 77))),
  job("causes of notices", (database) => noticeCauses.oldest(database, 100)),
  job("silent workers", (database) => circumstances.hasSilent(database, past)),
  job("webhooks with due deliveries", (database) =>
    deliveries.dueTargets(database, new Date().toISOString(), [], 10),
  ),
  job("when deliveries are due", (database) => deliveries.nextDue(database, [])),
  job("webhooks to clear", (database) => webhooks.nextToClear(database)),
  job("deliveries that wait", (database) =>
    deliveries.list(database, idOf("19", 1), { status: "waiting", position: ["9999", ""], limit: 50 }),
  ),
  job("webhooks of an app", (database) => webhooks.list(database, ids.app)),
];

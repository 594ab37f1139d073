import { badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { statistics as contract } from "../../../src/contract/statistics.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { numberThreads } from "../threads/store/store.ts";
import { statisticsAnswer } from "./answer.ts";
import { daysOf, lengthOf, periodOf } from "./rules.ts";
import { statistics as rows } from "./store.ts";

/** The handler for the statistics of an app. (rules F60 to F64) */
export const statistics = ({
  clock,
  database,
}: Pick<Deps, "clock" | "database">): Handlers<typeof contract> => ({
  async read({ caller, params: { appId }, query }) {
    await ownedApp(database, appId, caller);
    const now = clock.now();
    const period = periodOf(query, now);
    const length = lengthOf(period);
    if (length < 1) throw badRequest("to", "must not be before the first day");
    if (length > limits.statistics.days)
      throw badRequest("to", `must leave a period of at most ${limits.statistics.days} days`);
    await numberThreads(database, appId);
    const days = daysOf(period);
    return statisticsAnswer(period, days, await rows.read(database, appId, { days, now }));
  },
});

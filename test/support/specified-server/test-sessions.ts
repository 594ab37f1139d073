import { fieldsOf, guarded, json, type Operations, refusal, secrets, withAppKey } from "./operation.ts";

const unknownKey = { matched: false, counted: false, dayIndex: 0, reason: null };

/** Session reports of the SDK, for the one slot of this server. */
export function testSessionOperations(day: { counted: boolean }): Operations {
  return guarded(withAppKey, {
    "POST /api/v1/testing/sdk/session": (asked) => {
      const { testKey, startedAt, endedAt, screens } = fieldsOf(asked);
      const seconds = (Date.parse(String(endedAt)) - Date.parse(String(startedAt))) / 1_000;
      if (!Array.isArray(screens) || screens.length > 50 || Number.isNaN(seconds))
        return refusal(400, "The report is malformed.");
      if (testKey !== secrets.testKey) return json(200, unknownKey);
      const result = { matched: true, counted: false, dayIndex: 3 };
      if (day.counted) return json(200, { ...result, reason: "already_submitted" });
      if (seconds < 45 || new Set(screens).size < 2)
        return json(200, { ...result, reason: "session_below_bar" });
      day.counted = true;
      return json(200, { ...result, counted: true, reason: null });
    },
    "GET /api/v1/testing/sdk/session": ({ query }) =>
      json(200, {
        matched: query.get("testKey") === secrets.testKey,
        dayIndex: 3,
        durationDays: 14,
        countedToday: day.counted,
        daysCounted: day.counted ? 3 : 2,
        dueBy: "2026-11-22T00:00:00.000Z",
      }),
  });
}

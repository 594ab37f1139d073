import {
  ConnectionError,
  createSessionReporter,
  type Failure,
  type MatchedStatus,
  ServerError,
  type SessionCalls,
  type SessionReporterOptions,
  type SessionResult,
  type SessionStatus,
} from "../../../src/index.ts";

type Report = Parameters<SessionCalls["sessions"]["report"]>[0];

export const counted: SessionResult = { matched: true, counted: true, dayIndex: 1, reason: null };
export const stranger: SessionResult = { matched: false, counted: false, dayIndex: 0, reason: null };
/** The answer for an unknown key. */
export const strangerStatus: SessionStatus = {
  matched: false,
  counted: false,
  dayIndex: 0,
  durationDays: 0,
  countedToday: false,
  daysCounted: 0,
  dueBy: "2027-03-02T00:00:00.000Z",
};
export const standing: MatchedStatus = {
  matched: true,
  dayIndex: 1,
  durationDays: 14,
  countedToday: false,
  daysCounted: 0,
  dueBy: "2027-03-02T00:00:00.000Z",
};
export const limited = new ServerError({
  status: 429,
  code: "rate_limited",
  message: "Wait.",
  retryAfterSeconds: 600,
});
export const offline = new ConnectionError(
  "ECONNREFUSED",
  "GET http://127.0.0.1:9/?testKey=stk_secret failed",
);

export type AppWithSessionReporter = ReturnType<typeof appWithSessionReporter>;

/** An app with its clock, and a server with prepared answers. */
export function appWithSessionReporter(options: Partial<SessionReporterOptions> = {}) {
  let time = Date.parse("2027-03-01T12:00:00.000Z");
  const reports: Report[] = [];
  const asked: string[] = [];
  const heard: { statuses: unknown[]; results: unknown[]; failures: Failure[] } = {
    statuses: [],
    results: [],
    failures: [],
  };
  const server: { report: SessionResult | Error; status: SessionStatus | Error } = {
    report: counted,
    status: standing,
  };
  const answer = <Given>(given: Given | Error): Given => {
    if (given instanceof Error) throw given;
    return given;
  };
  const reporter = createSessionReporter({
    client: {
      sessions: {
        report: async (input) => {
          reports.push(input);
          return answer(server.report);
        },
        status: async ({ query }) => {
          asked.push(query.testKey);
          return answer(server.status);
        },
      },
    },
    now: () => new Date(time),
    onStatus: (status) => heard.statuses.push(status),
    onResult: (result) => heard.results.push(result),
    onFailure: (failure) => heard.failures.push(failure),
    ...options,
  });
  const pass = (seconds: number) => {
    time += seconds * 1_000;
  };
  return { reporter, reports, asked, heard, server, pass, bodies: () => reports.map(({ body }) => body) };
}

/** Simulates the use of the app for this time. */
export async function use(
  { reporter, pass }: AppWithSessionReporter,
  seconds: number,
  screens: readonly string[],
) {
  await reporter.foreground();
  for (const name of screens) reporter.screen(name);
  pass(seconds);
  await reporter.background();
}

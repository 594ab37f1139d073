import type { Command } from "commander";
import { routes } from "../../client/routes.ts";
import { mutates, several } from "../flags.ts";
import { onRun, type Setup } from "../on-run.ts";
import { type ReportFlags, reportSession, sessionStatus } from "../tester/sessions.ts";
import { ofTestKey, type TestKeyFile } from "../tester/test-key.ts";

export function addSession(session: Command, setup: Setup): void {
  const report = mutates(session.command("report").description(routes.sessions.report.summary))
    .requiredOption("--started-at <instant>", "when it began: ISO 8601 with an offset, or Z")
    .requiredOption("--ended-at <instant>", "when it ended, likewise")
    .option("--screen <name>", "a screen that it reached; repeatable", several)
    .option("--app-version <version>", "of the app that was tested");
  onRun<ReportFlags>(ofTestKey(report), setup, reportSession);

  const status = session.command("status").description(routes.sessions.status.summary);
  onRun<TestKeyFile>(ofTestKey(status), setup, sessionStatus);
}

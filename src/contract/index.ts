import { agent } from "./agent.ts";
import { changelog } from "./changelog.ts";
import { apps } from "./console/apps.ts";
import { audit } from "./console/audit.ts";
import { consoleChangelog } from "./console/changelog.ts";
import { consoleFaqs } from "./console/faqs.ts";
import { threads } from "./console/feedback.ts";
import { keys } from "./console/keys.ts";
import { runs } from "./console/runs.ts";
import { session } from "./console/session.ts";
import { tokens } from "./console/tokens.ts";
import { faqs } from "./faqs.ts";
import { feedback } from "./feedback.ts";

/** The whole API, by group. */
export const contract = {
  feedback,
  faqs,
  changelog,
  agent,
  session,
  apps,
  keys,
  tokens,
  threads,
  runs,
  consoleFaqs,
  consoleChangelog,
  audit,
} as const;

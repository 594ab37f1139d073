import type { Logger } from "pino";
import type { ClientDocument } from "./access/oauth/client-document.ts";
import type { Attest } from "./access/sign-in/attestation.ts";
import type { Clock, TimeWatch } from "./clock.ts";
import type { Database } from "./database/database.ts";
import type { ThreadWatch } from "./feedback/agent-work/store/changes.ts";
import type { LiveConnections } from "./feedback/live/connections.ts";
import type { WaitingAgents } from "./feedback/proposals/waiting-agents.ts";
import type { Files } from "./files/files.ts";
import type { KeptFiles } from "./files/kept-files.ts";
import type { Answers } from "./http/answers.ts";
import type { Waiting } from "./http/handler.ts";
import type { Memory } from "./http/memory.ts";
import type { Limiter } from "./http/rate-limits/store.ts";
import type { Sealer } from "./secrets/secrets.ts";
import type { Settings } from "./settings/settings.ts";
import type { PassingTime } from "./testing/cycles/passing-time.ts";

/** Everything that a handler may use. */
export interface Deps {
  readonly settings: Settings;
  readonly database: Database;
  readonly files: Files;
  readonly keptFiles: KeptFiles;
  readonly clock: Clock;
  /** Checks whether the clock can be trusted. */
  readonly time: TimeWatch;
  readonly newId: () => string;
  readonly sealer: Sealer;
  readonly memory: Memory;
  readonly answers: Answers;
  readonly waiting: Waiting;
  readonly waitingAgents: WaitingAgents;
  readonly threadWatch: ThreadWatch;
  readonly liveConnections: LiveConnections;
  readonly passingTime: PassingTime;
  readonly limiter: Limiter;
  readonly attest: Attest;
  /** Fetches a client's document, whose address is `id`. Rejects with an error that describes the fault. */
  readonly readClientDocument: (id: string) => Promise<ClientDocument>;
  readonly log: Logger;
  /** Aborts when the server begins to stop. Waiting requests are answered with the results found so far. */
  readonly stopping: AbortSignal;
}

/** The exports of the package for TypeScript programs. */
export type { Answer, CallOptions, Client, Content, Input } from "./client/call.ts";
export { type Tagged, withEtag } from "./client/call.ts";
export { MissingCredentialError } from "./client/connection.ts";
export {
  ConnectionError,
  InvalidInputError,
  ServerError,
  type ServerErrorFacts,
  UnexpectedAnswerError,
} from "./client/errors.ts";
export type { ClientOptions, Credentials, Exchange, Idempotency } from "./client/options.ts";
export { createClient } from "./client/send.ts";
export type { Message, NewProposal, Proposal, Thread } from "./contract/agent.ts";
export type { ChangelogEntry } from "./contract/changelog.ts";
export { type ErrorCode, errorCatalogue } from "./contract/errors.ts";
export type { Faq, FaqChange, ListedFaq, NewFaq, WantedFaq } from "./contract/faqs.ts";
export type { FeedbackType, NewFeedback } from "./contract/feedback.ts";
export { challengeOf, challengePattern, verifierPattern } from "./contract/pkce.ts";
export type { Run, RunStatus } from "./contract/runs.ts";
export type { DeviceGrant, Profile } from "./contract/sign-in.ts";
export {
  type SessionReason,
  type SessionReport,
  type SessionResult,
  type SessionStatus,
  sessionReasons,
} from "./contract/test-sessions.ts";
export type { OpenListing, Slot, Task } from "./contract/tester.ts";
export type { Failure, MatchedStatus, PendingSession, ReportedSession, SessionCalls } from "./reporter.ts";
export {
  createSessionReporter,
  type SessionReporter,
  type SessionReporterOptions,
} from "./reporter.ts";

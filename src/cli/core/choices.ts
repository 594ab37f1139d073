import { chatFormats } from "../../contract/apps.ts";
import { auditActions } from "../../contract/audit.ts";
import { BodyFormat, itemTypes, ReleaseType } from "../../contract/changelog.ts";
import { KeyKind, TokenKind } from "../../contract/credentials.ts";
import { tokenScopes } from "../../contract/endpoint.ts";
import { eventTypes } from "../../contract/events.ts";
import { FeedbackType } from "../../contract/feedback.ts";
import { waitingStates } from "../../contract/find-work.ts";
import { noticeKinds, noticeWays } from "../../contract/notices.ts";
import { outcomeStatuses, runStatuses } from "../../contract/runs.ts";
import { authorizePath, codePath } from "../../contract/sign-in.ts";
import { verificationTiers } from "../../contract/tester.ts";
import { listOrders, ThreadStatus } from "../../contract/threads.ts";

/** The allowed values of flags, and two paths, from the contract. The build replaces this code with the values. */
export const choices = {
  auditActions,
  authorizePath,
  bodyFormats: BodyFormat.options,
  chatFormats,
  codePath,
  eventTypes,
  feedbackTypes: FeedbackType.options,
  itemTypes,
  keyKinds: KeyKind.options,
  noticeKinds,
  noticeWays,
  outcomeStatuses,
  releaseTypes: ReleaseType.options,
  runStatuses,
  scopes: tokenScopes,
  threadStatuses: ThreadStatus.options,
  listOrders,
  tokenKinds: TokenKind.options,
  verificationTiers,
  waitingStates,
};

import { waitingStates } from "../../../contract/agent/find-work.ts";
import { BodyFormat, itemTypes, ReleaseType } from "../../../contract/changelog.ts";
import { KeyKind } from "../../../contract/console/api-keys.ts";
import { auditActions } from "../../../contract/console/audit.ts";
import { listOrders, ThreadStatus } from "../../../contract/console/feedback.ts";
import { TokenKind } from "../../../contract/console/tokens.ts";
import { tokenScopes } from "../../../contract/endpoint.ts";
import { FeedbackType } from "../../../contract/feedback.ts";
import { outcomeStatuses, runStatuses } from "../../../contract/run.ts";
import { authorizePath, codePath } from "../../../contract/sign-in.ts";
import { verificationTiers } from "../../../contract/tester.ts";

/** The values that flags and addresses may take, from the contract. The build replaces this code by the values. */
export const choices = {
  auditActions,
  authorizePath,
  bodyFormats: BodyFormat.options,
  codePath,
  feedbackTypes: FeedbackType.options,
  itemTypes,
  keyKinds: KeyKind.options,
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

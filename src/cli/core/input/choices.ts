import { BodyFormat, itemTypes, ReleaseType } from "../../../contract/changelog.ts";
import { KeyKind } from "../../../contract/console/api-keys.ts";
import { ThreadStatus } from "../../../contract/console/feedback.ts";
import { TokenKind } from "../../../contract/console/tokens.ts";
import { maintainerScopes } from "../../../contract/endpoint.ts";
import { FeedbackType } from "../../../contract/feedback.ts";
import { authorizePath, codePath } from "../../../contract/sign-in.ts";
import { verificationTiers } from "../../../contract/tester.ts";

/** The values that flags and addresses may take, from the contract. The build replaces this code by the values. */
export const choices = {
  authorizePath,
  bodyFormats: BodyFormat.options,
  codePath,
  feedbackTypes: FeedbackType.options,
  itemTypes,
  keyKinds: KeyKind.options,
  releaseTypes: ReleaseType.options,
  scopes: maintainerScopes,
  threadStatuses: ThreadStatus.options,
  tokenKinds: TokenKind.options,
  verificationTiers,
};

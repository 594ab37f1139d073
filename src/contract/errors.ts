import type * as z from "zod/mini";
import { limits } from "./limits.ts";

/** Every error code of the API. A reader understands the message without other documents. */
export const errorCatalogue = {
  bad_request: { status: 400, message: "The request is malformed. Correct the fields named in `issues`." },
  invalid_code: {
    status: 400,
    message: "This sign-in code cannot be used. Sign in again to get a new code.",
  },
  bad_redirect: {
    status: 400,
    message:
      "This redirect target is not allowed. It must be identical to one of the targets that this deployment lists.",
  },
  no_images: { status: 400, message: "A proof needs at least one image." },
  bad_image: {
    status: 400,
    message: "An image cannot be used. Send PNG, JPEG, WebP or GIF of at most 5 MB each.",
  },
  invalid_api_key: {
    status: 401,
    message: "The app key is missing or invalid. Send a current key in `x-api-key`.",
  },
  invalid_token: {
    status: 401,
    message: "The token is missing or invalid. Send a valid token as a bearer token.",
  },
  invalid_credentials: { status: 401, message: "The e-mail address or the password is wrong." },
  second_factor_required: {
    status: 401,
    message: "This account has a second factor. Send a code of the authenticator app, or a recovery code.",
  },
  invalid_second_factor: {
    status: 401,
    message: "The code is wrong or was used before. Use the newest code of the app, or a recovery code.",
  },
  sign_in_required: { status: 401, message: "Sign in to the console first." },
  forbidden: { status: 403, message: "This is not allowed with these credentials." },
  insufficient_scope: {
    status: 403,
    message: "The credential does not have the scope that this request needs.",
  },
  feedback_disabled: {
    status: 403,
    message: "Feedback is turned off for this app. Its owner can turn it on in the console.",
  },
  changelog_disabled: {
    status: 403,
    message: "The changelog is turned off for this app. Its owner can turn it on in the console.",
  },
  integrity_failed: {
    status: 403,
    message: "This device or this copy of the app could not be verified. `reasons` says why.",
  },
  access_denied: { status: 403, message: "The person did not approve this device." },
  email_unverified: {
    status: 403,
    message: "The e-mail address of this account is not verified.",
  },
  own_listing: { status: 403, message: "This is a test of your own app. Its slots are for other people." },
  slot_not_active: { status: 403, message: "This slot is no longer active." },
  not_found: { status: 404, message: "There is nothing here. Check the address and the id." },
  method_not_allowed: {
    status: 405,
    message: "This address does not accept that method. `Allow` names the accepted methods.",
  },
  device_taken: {
    status: 409,
    message:
      "This device is linked to another testing account. Sign in to the console with that account to release the device.",
  },
  email_taken: { status: 409, message: "There is already an account with this e-mail address. Sign in." },
  already_member: { status: 409, message: "This person is a member of the app already." },
  last_owner: {
    status: 409,
    message: "An app needs an owner. Make another member an owner first.",
  },
  slot_taken: { status: 409, message: "Somebody else has this slot. Look for another open slot." },
  already_in_cycle: { status: 409, message: "This tester has, or had, a slot in this test already." },
  already_submitted: { status: 409, message: "This day is already counted." },
  version_exists: {
    status: 409,
    message: "There is already a release note of this version. Change it, or allow a duplicate.",
  },
  tag_exists: {
    status: 409,
    message: "The app has a tag with this name already. Merge the two tags, or choose another name.",
  },
  assignee_changed: {
    status: 409,
    message: "This thread is assigned to somebody else now. Read it again, then decide.",
  },
  draft_conflict: {
    status: 409,
    message:
      "The published text has changed since this draft was saved. Compare both, save the draft again, and publish it.",
  },
  answered: {
    status: 409,
    message: "Somebody else has written in this thread since you read it. Read it again, then decide.",
  },
  list_changed: {
    status: 409,
    message: "The list has changed since you read it. Read it again, then decide.",
  },
  merged: {
    status: 409,
    message: "This thread was merged into another thread. Read it again to get the other thread.",
  },
  run_open: {
    status: 409,
    message:
      "This thread has a proposal that waits for a decision, is approved or is being carried out. Wait until the work on this proposal has ended.",
  },
  wrong_state: {
    status: 409,
    message: "This is not possible in the current state. Read the data again, then decide.",
  },
  already_decided: { status: 409, message: "This proposal is already decided or replaced. Read it again." },
  run_superseded: {
    status: 409,
    message:
      "The proposal that you named is not the newest proposal of the thread; `runId` is the id of the newest. Read the thread, then decide.",
  },
  run_claimed: {
    status: 409,
    message: "Another worker has claimed this proposal. Do not work on it.",
  },
  claim_released: {
    status: 409,
    message: "A person has ended this worker's claim. Stop, and tell your user.",
  },
  claim_resumed: {
    status: 409,
    message:
      "Another worker of this account has resumed this claim. Stop, because that worker continues the work.",
  },
  idempotency_in_progress: {
    status: 409,
    message: "A request with this Idempotency-Key is still running. Send it again in a moment.",
  },
  precondition_failed: {
    status: 412,
    message: "The data has changed since you read it. Read it again, and send your change with the new ETag.",
  },
  payload_too_large: { status: 413, message: "The request body is too large. Send less." },
  unsupported_media_type: {
    status: 415,
    message: "Send the body with one of the content types that this address accepts.",
  },
  bad_range: {
    status: 416,
    message: "The file has no bytes in this range. `Content-Range` contains the length of the file.",
  },
  idempotency_mismatch: {
    status: 422,
    message: "This Idempotency-Key was used with another body. Use a new key for a new request.",
  },
  out_of_window: { status: 422, message: "Only a proof for the current day of the test is accepted." },
  cycle_not_running: { status: 422, message: "The test is not running: it has not started, or is over." },
  cycle_not_open: { status: 422, message: "This test does not accept testers now." },
  precondition_required: {
    status: 428,
    message:
      "Send the header `If-Match` with the ETag of the list that you read, so that no change of another person is lost.",
  },
  rate_limited: {
    status: 429,
    message: "Too many requests. Wait as long as Retry-After says, then send the request again.",
  },
  internal: {
    status: 500,
    message: "Something went wrong on our side. Add the requestId to your report.",
  },
  busy: {
    status: 503,
    message: "The service cannot do this right now. Nothing was changed. Send the request again soon.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

export type IntegrityReason = "device_integrity_failed" | "app_not_recognized";

export interface ErrorDetails {
  readonly message?: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  readonly allow?: readonly string[];
  /** The number of the day to which the proof belongs. */
  readonly dayIndex?: number;
  /** True if the server may accept the same request later. Not part of the answer. */
  readonly isPassing?: boolean;
  /** The newest proposal of the thread. */
  readonly runId?: string | null;
  /** Whether the caller may continue the claim with `resume: true`. */
  readonly mayResume?: true;
  /** The release note that already has this version. */
  readonly entryId?: string;
  /** The encrypted state after the first step of a sign-in. The request with the second factor contains it. */
  readonly step?: string;
  /** The reasons why the attestation of the app failed. */
  readonly reasons?: readonly IntegrityReason[];
}

/** An answer that is an error. `cause` is written to the log, but is never sent to the client. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(details.message ?? firstFaultOf(code, details) ?? errorCatalogue[code].message, options);
    this.name = "ApiError";
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.details = details;
  }
}

/** Returns the first fault of a malformed request as a sentence. Many clients show only this sentence. (rule H3) */
function firstFaultOf(code: ErrorCode, { issues = [] }: ErrorDetails): string | undefined {
  const [first, ...others] = issues;
  if (code !== "bad_request" || !first) return undefined;
  const isPredicate = /^[a-z]/.test(first.message);
  const subject = first.path === "" ? "The body" : `\`${first.path}\``;
  const sentence = (isPredicate ? `${subject} ${first.message}` : first.message).replace(/\.$/, "");
  return others.length === 0 ? `${sentence}.` : `${sentence} (and ${others.length} more).`;
}

/** Creates a `bad_request` with one fault. */
export const badRequest = (path: string, message: string) =>
  new ApiError("bad_request", { issues: [{ path, message }] });

/** A fault of a request. */
export interface Issue {
  /** The field, such as `images.1`. Empty for the body. */
  readonly path: string;
  /** What the value must be. */
  readonly message: string;
}

/** The fault of an id that is not a UUID. */
export const notUuid = "must be a UUID";

/** Parse options with the messages of this API. Other libraries may change the global messages of zod. */
export const ownMessages: z.core.ParseContext<z.core.$ZodIssue> = { error: (issue) => sentenceOf(issue) };

/** Returns the first 20 faults. Each message continues a sentence that starts with the name of the field. */
export function issuesOf(error: z.core.$ZodError): Issue[] {
  const wrongTypes = new Set<string>();
  const issues = error.issues.filter(({ code, path }) => {
    const place = JSON.stringify(path);
    // If a value has the wrong type, its other faults are not returned.
    if (wrongTypes.has(place)) return false;
    if (code === "invalid_type") wrongTypes.add(place);
    return true;
  });
  return issues.slice(0, limits.namedFaults).map(({ path, message }) => ({ path: path.join("."), message }));
}

/** Returns the faults of a refused value. `ownMessages` are slow, so a request is first parsed without them. */
export function faultsOf(schema: z.ZodMiniType, value: unknown): Issue[] {
  const { error } = schema.safeParse(value, ownMessages);
  return error ? issuesOf(error) : [];
}

function sentenceOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssue>): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value": {
      const oneOf = `must be one of ${issue.values.map((value) => `\`${String(value)}\``).join(", ")}`;
      return issue.input === undefined ? `is missing; it ${oneOf}` : oneOf;
    }
    case "too_small":
      return issue.minimum === 1 && issue.origin in units
        ? "must not be empty"
        : `must ${lengthOf(issue.origin, "at least", Number(issue.minimum))}`;
    case "too_big":
      return `must ${lengthOf(issue.origin, "at most", Number(issue.maximum))}`;
    case "invalid_format":
      return issue.format === "guid" ? notUuid : `must be a valid ${issue.format}`;
    default:
      return "is not valid";
  }
}

/** The unit of the length of a value, by the type of the value. Numbers have no unit. */
const units: Readonly<Record<string, string>> = { string: "character", array: "element" };

/** Returns `have at most 3 elements` for a value with a length, and `be at most 3` for a number. */
function lengthOf(origin: string, relation: "at least" | "at most", count: number): string {
  const unit = units[origin];
  return unit === undefined
    ? `be ${relation} ${count}`
    : `have ${relation} ${count} ${count === 1 ? unit : `${unit}s`}`;
}

const withArticle = (expected: string) => {
  if (expected === "int") return "an integer";
  if (expected === "record") return "an object";
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`;
};

import { ApiError, type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";

/** What shall befall the next requests to a path and to all that lies beneath it. */
export interface Fault {
  readonly path: string;
  /** What they are answered; null where they only wait. */
  readonly error: { readonly status: number; readonly code: ErrorCode } | null;
  /** How many requests it is still for. */
  readonly times: number;
  readonly delayMs: number;
}

/** The faults that are still to come, in the order in which they were asked for. */
export interface Faults {
  add(fault: Fault): void;
  /** The first that is for a path, used up once; undefined where there is none. */
  take(path: string): Fault | undefined;
  list(): readonly Fault[];
  clear(): void;
}

export function createFaults(): Faults {
  let faults: readonly Fault[] = [];
  return {
    list: () => faults,
    add(fault) {
      faults = [...faults, fault];
    },
    clear() {
      faults = [];
    },
    take(path) {
      const found = faults.find((fault) => isFor(fault, path));
      if (found) faults = faults.flatMap((fault) => (fault === found ? usedOnce(fault) : [fault]));
      return found;
    },
  };
}

const isFor = ({ path: wanted }: Fault, path: string): boolean =>
  path === wanted || path.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`);

const usedOnce = (fault: Fault): Fault[] => (fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []);

const codes: readonly ErrorCode[] = Object.keys(errorCatalogue).filter(isCode);

/** The code that most answers of a status have. */
const usualCodes: Readonly<Record<number, ErrorCode>> = {
  403: "forbidden",
  409: "wrong_state",
  422: "cycle_not_running",
};

/** Status and code of an error of which one or both are given; null where neither is. Undefined where they do not fit. */
export function errorOf(status: number | undefined, code: string | undefined): Fault["error"] | undefined {
  if (code !== undefined && isCode(code)) {
    const usual = errorCatalogue[code].status;
    return status === undefined || status === usual ? { status: usual, code } : undefined;
  }
  if (status === undefined) return null;
  return { status, code: usualCodes[status] ?? codeOfStatus(status) };
}

const codeOfStatus = (status: number): ErrorCode =>
  codes.find((code) => errorCatalogue[code].status === status) ?? (status < 500 ? "bad_request" : "internal");

function isCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorCatalogue, name);
}

/** The error as the API would answer it. A status that the API does not know gets the body of its kin. */
export function apiErrorOf({ status, code }: NonNullable<Fault["error"]>): ApiError {
  const retry = status === 429 || status === 503 ? { retryAfterSeconds: 1 } : {};
  const cause = new Error("A fault was asked for");
  return Object.assign(new ApiError(code, retry, { cause }), { status });
}

import type { IncomingHttpHeaders } from "node:http";

/** One request, with the values of the path's `{names}`. */
export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The media type, if it is not JSON. */
  readonly mediaType?: string;
}

/** Operations by `METHOD /path/{name}`. */
export type Operations = Readonly<Record<string, (asked: Asked) => Answer | Promise<Answer>>>;

export const secrets = {
  appKey: "sdk_ofTheSpecifiedServer00000000000000000",
  agentToken: "sda_ofTheSpecifiedServer00000000000000000",
  deviceToken: "sdt_ofTheSpecifiedServer00000000000000000",
  testKey: "a test key of another form",
} as const;

export const json = (status: number, body: unknown): Answer => ({ status, body });

/** A refusal. The specification shows no codes for most of them. */
export const refusal = (status: number, error: string, code?: string): Answer => ({
  status,
  body: { error, ...(code && { code }) },
});

export const notFound = refusal(404, "There is nothing here.");

/** The fields of a JSON body. */
export function fieldsOf({ body }: Asked): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(body.toString())) };
  } catch {
    return {};
  }
}

/** The operations with this credential. Other credentials cause a 401. */
export const guarded = (isKnown: (asked: Asked) => boolean, operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, run]) => [
      name,
      (asked: Asked) => (isKnown(asked) ? run(asked) : refusal(401, "The credential is missing or invalid.")),
    ]),
  );

export const withAppKey = ({ headers }: Asked): boolean => headers["x-api-key"] === secrets.appKey;

export const withBearer =
  (token: string) =>
  ({ headers }: Asked): boolean =>
    headers.authorization === `Bearer ${token}`;

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** The names of the fields that are not a text. */
export const missingTexts = (fields: Readonly<Record<string, unknown>>, names: readonly string[]): string[] =>
  names.filter((name) => !isText(fields[name]));

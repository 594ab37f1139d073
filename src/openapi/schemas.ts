import * as z from "zod/mini";
import * as agent from "../contract/agent.ts";
import * as apps from "../contract/apps.ts";
import * as audit from "../contract/audit.ts";
import * as blockedSenders from "../contract/blocked-senders.ts";
import * as changelog from "../contract/changelog.ts";
import * as session from "../contract/console-session.ts";
import * as cycles from "../contract/cycles.ts";
import * as devices from "../contract/devices.ts";
import * as consoleFaqs from "../contract/faqs.ts";
import * as feedback from "../contract/feedback.ts";
import * as keys from "../contract/keys.ts";
import * as listings from "../contract/listings.ts";
import * as incomingMails from "../contract/mails.ts";
import * as runs from "../contract/runs.ts";
import * as savedReplies from "../contract/saved-replies.ts";
import * as signIn from "../contract/sign-in.ts";
import * as tags from "../contract/tags.ts";
import * as sessions from "../contract/test-sessions.ts";
import * as tester from "../contract/tester.ts";
import * as threads from "../contract/threads.ts";
import * as tokens from "../contract/tokens.ts";

/** Whether a schema describes what a client sends or what it receives. */
type Direction = "input" | "output";

export interface Schemas {
  /** Returns the JSON Schema of a zod schema. For a named schema this is a reference. */
  of(schema: z.core.$ZodType, direction: Direction): Json;
  /** The named schemas to which the document refers. */
  named(): Record<string, Json>;
}

/** Converts the contract's schemas. A schema that a module exports keeps its name in the document. */
export function createSchemas(): Schemas {
  const used = new Map<string, Json>();

  function reference(name: string, schema: z.core.$ZodType, direction: Direction): Json {
    const converted = convert(schema, direction);
    const known = used.get(name);
    // If defaults or transformations make the two directions differ, the input gets its own name.
    const free = known === undefined || JSON.stringify(known) === JSON.stringify(converted);
    const unique = free ? name : `${name}Input`;
    used.set(unique, converted);
    return { $ref: `#/components/schemas/${unique}` };
  }

  function convert(schema: z.core.$ZodType, direction: Direction): Json {
    const { $schema, ...rest } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: "any",
      reused: "inline",
      override: ({ zodSchema, jsonSchema }) => {
        if (isOpenList(zodSchema, jsonSchema, direction)) return openList(jsonSchema);
        const name = zodSchema === schema ? undefined : names.get(zodSchema);
        if (name === undefined) return open(jsonSchema);
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, reference(name, zodSchema, direction));
      },
    });
    return rest;
  }

  return {
    of(schema, direction) {
      const name = names.get(schema);
      return name === undefined ? convert(schema, direction) : reference(name, schema, direction);
    },
    named: () => Object.fromEntries([...used].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

const modules: readonly Record<string, unknown>[] = [
  ...[agent, changelog, apps, audit, changelog, cycles, devices, consoleFaqs, threads, keys, listings],
  ...[
    runs,
    blockedSenders,
    incomingMails,
    savedReplies,
    session,
    tags,
    tokens,
    consoleFaqs,
    feedback,
    runs,
    sessions,
    signIn,
    tester,
  ],
];

/** The exported schemas: a type of the API begins with a capital letter. */
const names: ReadonlyMap<z.core.$ZodType, string> = new Map(
  modules
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, value]) => (/^[A-Z]/.test(name) && isSchema(value) ? [[value, name] as const] : [])),
);

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** The base API names all values of these. */
const closedLists: ReadonlySet<z.core.$ZodType> = new Set([
  runs.RunStatus,
  changelog.ReleaseType,
  changelog.BodyFormat,
]);

/**
 * Whether later versions may add values to a list. Lists in answers may grow; a request sends only values that the
 * server knows.
 */
const isOpenList = (
  schema: z.core.$ZodType,
  { enum: values }: z.core.JSONSchema.BaseSchema,
  direction: Direction,
) => direction === "output" && values !== undefined && values.length > 1 && !closedLists.has(schema);

/**
 * Describes values without `enum`, because an `enum` would make a generated client refuse values that it does not know.
 */
function openList(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  Object.assign(jsonSchema, { [openListWord]: jsonSchema.enum });
  delete jsonSchema.enum;
}

/** Allows unknown fields: requests ignore them, and later versions may add fields to answers. */
function open(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

export type Json = Record<string, unknown>;

/** The values of a list that later versions may extend. */
export const openListWord = "x-extensible-enum";

import * as z from "zod/mini";
import { dataUrl, jpeg, mp4, pdf, png } from "../files/sample-files.ts";
import { fc } from "../property.ts";

type Schema = z.core.JSONSchema.BaseSchema;
type Values = fc.Arbitrary<unknown>;

/**
 * Values for a schema of the contract: most of them are valid, some are at the limits, and some are hostile in one or
 * more places.
 */
export const valuesFor = (schema: z.core.$ZodType): Values =>
  nearly(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));

/** Text that often causes errors in code. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "__proto__",
    "constructor",
    "toString",
    "null",
    "NaN",
    "-0",
    "1e9",
  ),
  fc.constantFrom(
    "' OR 1=1 --",
    "%00",
    "../../etc/passwd",
    "{{7*7}}",
    "<svg onload=1>",
    "\r\nSet-Cookie: a=b",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const hostile: Values = fc.oneof(
  hostileText,
  fc.constantFrom(undefined, null, true, 0, -1, 0.5, 1e308, [], {}, [[]], { length: 5 }, { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.nat(40).map((depth) => JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`)),
);

function nearly(schema: z.core.JSONSchema._JSONSchema | undefined): Values {
  if (typeof schema !== "object") return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof({ weight: 40, arbitrary: fitting(schema) }, { weight: 1, arbitrary: hostile });
}

function fitting(schema: Schema): Values {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map(nearly));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return schema.properties ? objects(schema) : fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    case "array":
      return fc.array(itemsOf(schema), { maxLength: 4 });
    case "string":
      return strings(schema);
    case "integer":
    case "number":
      return numbers(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objects({ properties = {}, required = [] }: Schema): Values {
  const members = Object.entries(properties).map(([key, schema]) => [key, nearly(schema)] as const);
  const known = fc.record<Record<string, unknown>, string>(Object.fromEntries(members), {
    requiredKeys: [...required],
  });
  const unknown = fc.dictionary(hostileText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
  return fc.oneof(
    { weight: 4, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(unknown, known).map(([more, rest]) => ({ ...more, ...rest })) },
  );
}

const itemsOf = ({ items }: Schema): Values => nearly(Array.isArray(items) ? items[0] : items);

function strings({ format, description = "", minLength = 0, maxLength = 60 }: Schema): Values {
  if (description.startsWith("base64 data URL"))
    return fc.constantFrom(...[png(), jpeg(), mp4(), pdf(), png(2_000_000)].map(dataUrl));
  if (format === "uuid") return fc.uuid();
  if (format === "date-time") return instants;
  if (format === "uri") return fc.webUrl();
  const edges = [minLength, maxLength - 1, maxLength, maxLength + 1].map((length) =>
    "x".repeat(Math.max(0, length)),
  );
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: Math.min(maxLength, 60) }),
    },
    { weight: 2, arbitrary: fc.constantFrom(...edges, "😀".repeat(maxLength), ` ${"x".repeat(maxLength)} `) },
    { weight: 1, arbitrary: versions },
  );
}

const versions = fc.tuple(fc.nat(3), fc.nat(12), fc.nat(12)).map((parts) => parts.join("."));

const instants = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    "2024-02-29T23:59:60Z",
    "2024-05-01T12:00:00+14:00",
    "2024-05-01",
    "0000-01-01T00:00Z",
    "now",
  ),
);

function numbers({ minimum = -1e9, maximum = 1e9 }: Schema): Values {
  return fc.oneof(
    fc.integer({ min: minimum, max: maximum }),
    fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1),
  );
}

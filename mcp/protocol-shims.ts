/**
 * Stands in for the part of the protocol's library that differs by runtime. It would bring a JSON Schema validator of
 * 290 kB for forms that a server asks a client to fill in; this one asks for none.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server asks clients for no forms.");
  }
}

/**
 * Replaces the part of the SDK that is different for each JavaScript runtime. That part contains a JSON Schema
 * validator of 290 kB. The SDK needs the validator only for forms that a client shows to a person, and this server uses
 * no forms.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server does not send forms to clients.");
  }
}

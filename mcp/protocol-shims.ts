/**
 * Replaces a part of the SDK that contains a JSON Schema validator of 290 kB. The SDK needs the validator only for
 * forms. This server uses no forms.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server does not send forms to clients.");
  }
}

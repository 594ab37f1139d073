/**
 * Replaces a JSON Schema validator of 290 kB in the SDK. Only forms need the validator. This server sends none.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server does not send forms to clients.");
  }
}

/**
 * Replaces the part of the SDK that differs by runtime. That part contains a JSON Schema validator of 290 kB for forms
 * that a server asks a client to fill in. This server does not use such forms.
 */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server does not send forms to clients.");
  }
}

/** Replaces a JSON Schema validator of 290 kB in the SDK. Only forms need it, and this server has none. */
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This server does not send forms to clients.");
  }
}

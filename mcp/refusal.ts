/** A tool refuses a call. The message is our own text, so a model may read it. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}

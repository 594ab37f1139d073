import * as z from "zod/mini";

export const feedback = z.string().check(z.maxLength(500), z.describe("Feedback id (UUID) or console link"));

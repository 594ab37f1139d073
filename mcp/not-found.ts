import { ServerError } from "../src/client/errors.ts";

export const isNotFound = (error: unknown): boolean => error instanceof ServerError && error.status === 404;

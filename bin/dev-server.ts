// This file starts the server of `dev exec`. Tests wait for each start of this server, so it caches its compiled code.
import { keepCompiledCode } from "./compiled-code.ts";

keepCompiledCode();
void import("./server.ts").then(({ throwaway }) => throwaway());

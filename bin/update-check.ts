// Runs beside a command that has ended: asks for the newest version, and stores it for the next command.
import os from "node:os";
import { checkForUpdate } from "../src/cli/update.ts";
import { homeFolder } from "../src/credentials/folders.ts";

const place = { env: process.env, home: homeFolder(os), platform: process.platform };
const end = () => process.exit();
void checkForUpdate(place, () => crypto.randomUUID()).then(end, end);

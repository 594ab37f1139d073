/** The folder of the built file that holds this module. The build puts in the right expression for its format. */
declare const BUILT_FOLDER: string;

/** The built file of the server. */
export const serverProgram = `${BUILT_FOLDER}/dev-server.cjs`;

/** One step of the schema. A published step is never changed: a correction is another step. */
export type Migration = { version: number; name: string; sql: string }
